import { fileURLToPath } from 'node:url';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { described } from './described-type.js';
import { type Json, Rig } from './rig.js';

/** `references` within the values of properties: all that it means at a property itself. */

const to = (type: string, onDestroy: string, more = {}) => ({
  type: 'string',
  references: type,
  onDestroy,
  ...more,
});
const orNull = { type: ['string', 'null'] };
const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more });
const count = (type: string, by: string) => ({
  ...{ type: 'integer', access: 'serverSet', default: 0 },
  computed: { count: type, by },
});
const TYPES = {
  Person: {
    properties: {
      name: { type: 'string', default: '' },
      leads: count('Task', 'plan/leadId'),
      crews: count('Task', 'crew'),
      seats: count('Task', 'seats/*/*'),
    },
  },
  Task: {
    properties: {
      title: { type: 'string', default: '' },
      plan: object(
        { leadId: to('Person', 'setNull', orNull), note: { type: 'string' } },
        { default: {} },
      ),
      steps: {
        type: 'array',
        items: object({ taskId: to('Task', 'cascade'), text: { type: 'string' } }),
        default: [],
      },
      needs: object(
        { mainId: to('Task', 'restrict', { acyclic: true }) },
        { additionalProperties: to('Task', 'restrict', { acyclic: true }), default: {} },
      ),
      crew: {
        type: 'object',
        propertyNames: { references: 'Person', onDestroy: 'setNull' },
        additionalProperties: object({
          role: { type: 'string' },
          deputyId: to('Person', 'keep', orNull),
        }),
        default: {},
      },
      owners: {
        type: 'object',
        propertyNames: { references: 'Person', onDestroy: 'cascade' },
        additionalProperties: { type: 'string' },
        default: {},
      },
      fans: {
        type: 'object',
        propertyNames: { references: 'Person', onDestroy: 'keep' },
        additionalProperties: { type: 'array', items: to('Person', 'keep') },
        default: {},
      },
      hints: {
        type: 'array',
        items: object({ byId: to('Person', 'setNull'), text: { type: 'string' } }),
        default: [],
      },
      seats: {
        type: 'array',
        items: {
          type: 'array',
          references: 'Person',
          onDestroy: 'setNull',
          items: { type: 'string' },
        },
        default: [],
      },
    },
  },
};

export const tasks = described(TYPES);
const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

/** A rig with the types, and the rows of its database. */
interface Opened {
  readonly rig: Rig;
  readonly rows: (statement: string) => Promise<readonly Json[]>;
  readonly close: () => Promise<void>;
}

/** Serves the types from a new SQLite file, or from an empty database of PostgreSQL. */
export async function openTasks(url: string | null): Promise<Opened> {
  if (url === null) {
    const rig = new Rig({}, { more: tasks });
    return { rig, rows: async (statement) => rig.rows(statement), close: () => rig.close() };
  }
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  await operator.query(tasks.tables.replaceAll(' TEXT', ' TEXT COLLATE "C"'));
  await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('a1', '', 'u', 1), ('a2', '', 'u', 1)`);
  const pool = openPool({ url, size: 4, pipeline: true });
  const rig = new Rig(
    {},
    { more: tasks, store: (types, now) => createPostgresqlStore({ conductor, pool, types, now }) },
  );
  return {
    rig,
    rows: async (statement) => (await operator.query(statement)).rows,
    close: async () => {
      await rig.close();
      await operator.end();
    },
  };
}
