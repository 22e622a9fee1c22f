import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import type { Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { described } from './described-type.js';
import { CORE, type Json, Rig } from './rig.js';

/**
 * Numbers that no double holds are stored as the nearest double wherever any number is legal. The
 * client sent another number, so it is told what is stored (RFC 8620 5.3 and 5.4).
 */

const SENT = '9007199254740993';
const STORED = 9007199254740992;
/** More than is judged together with other properties. */
const LARGE = 'x'.repeat(10_001);
/** More objects than are handled in a moment. */
const MANY = 150;

const json = { type: 'object', additionalProperties: true, default: {} };
const shelf = described({
  Reading: {
    properties: {
      title: { type: 'string' },
      body: { type: 'string', maxLength: 20_000, default: '' },
      score: { type: ['number', 'null'] },
      rank: { type: 'integer', default: 0 },
      meta: json,
      list: { type: 'array', items: { type: 'number' }, maxItems: 20_000, default: [] },
      level: { type: ['number', 'null'], access: 'serverSet' },
      notes: { ...json, access: 'serverSet' },
    },
    required: ['title'],
  },
});
const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

const postgresql = usePostgresql();
let url = '';
beforeAll(async () => {
  url = await postgresql().createDatabase('numbers');
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  const tables = shelf.tables.replaceAll(' TEXT', ' TEXT COLLATE "C"');
  await operator.query(tables.replaceAll(' REAL', ' DOUBLE PRECISION'));
  await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('a1', '', 'u', 1), ('a2', '', 'u', 1)`);
  await operator.end();
});

let rig: Rig;
function open(engine: string, hooks?: object): Rig {
  const capability = hooks === undefined ? shelf.capability : { ...shelf.capability, hooks };
  const more = { ...shelf, capability: capability as never };
  const store: { store?: (...args: Json) => Store } =
    engine === 'SQLite'
      ? {}
      : {
          store: (types, now) =>
            createPostgresqlStore({
              conductor,
              pool: openPool({ url, size: 4, pipeline: true }),
              types,
              now,
            }),
        };
  rig = new Rig({}, { more, ...store });
  return rig;
}

/**
 * The response of one call, whose arguments are JSON text: no JavaScript value is such a number.
 */
async function call(name: string, args: string): Promise<Json> {
  const using = JSON.stringify([CORE, shelf.capability.urn]);
  const body = `{"using":${using},"methodCalls":[["Reading/${name}",${args},"c"]]}`;
  const [[answered, response]] = JSON.parse(await rig.text(body)).methodResponses;
  return answered === 'error' ? { error: response } : response;
}

const set = (args: string): Promise<Json> => call('set', `{"accountId":"a1",${args}}`);
const create = (object: string): Promise<Json> => set(`"create":{"k":{"title":"t",${object}}}`);
const update = (id: string, patch: string): Promise<Json> => set(`"update":{"${id}":{${patch}}}`);
const stored = async (id: string, accountId = 'a1'): Promise<Json> =>
  (await call('get', JSON.stringify({ accountId, ids: [id] }))).list[0];

const AT = expect.any(String);
const beside: [string, string][] = [
  ['alone', ''],
  ['beside a large text', `,"body":"${LARGE}"`],
  ['beside a large list', `,"list":[${'1,'.repeat(10_000)}1]`],
];
const values: [string, string, unknown][] = [
  ['score', SENT, STORED],
  ['meta', `{"a":{"b":[${SENT}]}}`, { a: { b: [STORED] } }],
  ['list', `[1,${SENT},0.5]`, [1, STORED, 0.5]],
  ['list', `[${'1,'.repeat(10_000)}${SENT}]`, [...Array(10_000).fill(1), STORED]],
];

describe.each(['SQLite', 'PostgreSQL'])('a number that no double holds, on %s', (engine) => {
  beforeAll(() => void open(engine));
  afterAll(() => rig.close());

  describe.each(beside)('%s', (_, other) => {
    const settling = values.filter(([name]) => !other.includes(`"${name}"`));
    it.each(settling)('is reported by a create: %s', async (name, sent, settled) => {
      const { created } = await create(`"${name}":${sent}${other}`);
      expect(created?.k?.[name]).toEqual(settled);
      expect((await stored(created.k.id))[name]).toEqual(settled);
    });

    it.each(settling)('is reported by an update: %s', async (name, sent, settled) => {
      const { created } = await create('"body":""');
      const { updated } = await update(created.k.id, `"${name}":${sent}${other}`);
      expect(updated?.[created.k.id]).toEqual({ updated: AT, [name]: settled });
      expect((await stored(created.k.id))[name]).toEqual(settled);
    });

    it('is reported by an update of a member', async () => {
      const { created } = await create('"meta":{"a":{}}');
      const { updated } = await update(created.k.id, `"meta/a/b":${SENT}${other}`);
      const meta = { a: { b: STORED } };
      expect(updated?.[created.k.id]).toEqual({ updated: AT, meta });
      expect((await stored(created.k.id)).meta).toEqual(meta);
    });
  });

  it('is reported of a copy that overrides a property with it', async () => {
    const { created } = await create('"meta":{"a":1}');
    const entry = `{"id":"${created.k.id}","score":${SENT},"meta":{"a":${SENT}}}`;
    const accounts = '"fromAccountId":"a1","accountId":"a2"';
    const copied = await call('copy', `{${accounts},"create":{"c":${entry}}}`);
    expect(copied.created?.c).toMatchObject({ score: STORED, meta: { a: STORED } });
    const copy = await stored(copied.created.c.id, 'a2');
    expect(copy).toMatchObject({ score: STORED, meta: { a: STORED } });
  });

  it('is reported and stored in each of many objects', async () => {
    const keys = Array.from({ length: MANY }, (_, at) => `k${at}`);
    const given = (at: number): string =>
      `"score":${SENT},"meta":{"at":${at},"n":${SENT}}${at % 50 === 0 ? `,"body":"${LARGE}"` : ''}`;
    const objects = keys.map((key, at) => `"${key}":{"title":"t",${given(at)}}`);
    const { created } = await set(`"create":{${objects.join()}}`);
    const ids: string[] = keys.map((key) => created[key].id);
    const storedAt = (at: number) => ({ score: STORED, meta: { at, n: STORED } });
    for (const [at, key] of keys.entries()) expect(created[key]).toMatchObject(storedAt(at));
    const patches = ids.map((id) => `"${id}":{"meta/m":${SENT},"score":-${SENT}}`);
    const { updated } = await set(`"update":{${patches.join()}}`);
    const { list } = await call('get', JSON.stringify({ accountId: 'a1', ids }));
    for (const [at, id] of ids.entries()) {
      const now = { score: -STORED, meta: { ...storedAt(at).meta, m: STORED } };
      expect(updated[id]).toEqual({ updated: AT, ...now });
      expect(list.find((one: Json) => one.id === id)).toMatchObject(now);
    }
  });

  it('is refused where an integer is expected, beside a large text too', async () => {
    for (const [, other] of beside) {
      const { notCreated } = await create(`"rank":${SENT}${other}`);
      expect(notCreated?.k).toMatchObject({ type: 'invalidProperties', properties: ['rank'] });
    }
  });
});

describe('a number that no double holds', () => {
  afterEach(() => rig.close());

  it('changes nothing if its nearest double is stored already', async () => {
    open('SQLite');
    const settled = { score: STORED, meta: { n: STORED }, list: [STORED] };
    const { created, newState } = await create(JSON.stringify(settled).slice(1, -1));
    const { id } = created.k;
    const again = await update(id, `"score":${SENT},"meta/n":${SENT},"list":[${SENT}]`);
    expect(again.updated).toEqual({ [id]: null });
    expect([again.oldState, again.newState]).toEqual([newState, newState]);
  });

  it('is stored and reported as the nearest double if a hook passes it on', async () => {
    const [Reading] = shelf.capability.dataTypes;
    let given: Json;
    const hooks = {
      methods: {
        set: {
          before(args: Json) {
            given = args.create.k.meta.n;
            return { ...args };
          },
        },
      },
      async inTransaction({ created, updated }: Json, _: Json, tx: Json) {
        for (const { id, title, body } of created) {
          if (title !== 't' || updated.length > 0) continue;
          const values = { level: given, notes: { n: given, body }, list: [given] };
          const create = { more: { title: 'more', ...values } };
          const report = await tx.set(Reading, { create, update: { [id]: values } });
          reports.push(report.updated[id], report.created.more);
        }
      },
    };
    const reports: Json[] = [];
    open('SQLite', { types: { Reading: hooks } });
    const { created } = await create(`"meta":{"n":${SENT}},"body":"${LARGE}"`);
    const settled = { level: STORED, notes: { n: STORED, body: LARGE }, list: [STORED] };
    expect(reports).toMatchObject([settled, settled]);
    expect(created?.k).toMatchObject({ meta: { n: STORED }, ...settled });
    for (const id of [created.k.id, reports[1].id]) expect(await stored(id)).toMatchObject(settled);
  });
});

it('all faults of an object with large properties are reported', async () => {
  open('SQLite');
  const list = `[${'1,'.repeat(10_000)}"wrong"]`;
  const { notCreated } = await set(`"create":{"k":{"score":"x","body":"${LARGE}","list":${list}}}`);
  const { type, properties } = notCreated.k;
  expect([type, [...properties].sort()]).toEqual(['invalidProperties', ['list', 'score', 'title']]);
  await rig.close();
});
