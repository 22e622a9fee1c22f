import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { resetStates } from '../../scripts/backup/reset-states.js';
import { migrate, openPool, type Pool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { type Json, Rig } from '../methods/rig.js';
import { Clients, quietShare } from '../support/clients.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';

/** `account reset-states` beside servers on a PostgreSQL of some size. */

/** RESET_RECORDS=100000 for a try. */
const COUNT = Number(process.env['RESET_RECORDS'] ?? 1_000_000);
/** Accounts of two types each, which have no records; one behind them all has all records. */
const ACCOUNTS = COUNT / 10;
/** Records of a step, and accounts. */
const STEP = 500;
const ACCOUNT_STEP = 100;
const LEAP = 1_000_000_000;
const TYPES = ['Todo', 'Note'];

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

const postgresql = usePostgresql();

type Told = (sql: string, rows: number) => void;

/**
 * The same client, its transactions too; each statement that changes rows is told, and how many it
 * changed.
 */
function watched<Client extends Prisma.TransactionClient>(client: Client, told: Told): Client {
  return new Proxy(client, {
    get(target, name) {
      if (name === '$transaction') {
        const { $transaction } = target as unknown as PrismaClient;
        return (work: (inner: Prisma.TransactionClient) => Promise<unknown>, options: object) =>
          $transaction.call(target, (inner) => work(watched(inner, told)), options);
      }
      if (name !== '$executeRaw') return Reflect.get(target, name);
      return async (strings: TemplateStringsArray, ...values: readonly unknown[]) => {
        const rows = await target.$executeRaw(strings, ...values);
        told(strings.join('?'), rows);
        return rows;
      };
    },
  });
}

async function fill(pool: Pool): Promise<void> {
  await pool.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    SELECT 'n' || n, '', 'u', 1 FROM generate_series(1, ${ACCOUNTS}) AS "all"(n)
    UNION ALL VALUES ('a1', '', 'u', 1), ('a2', '', 'u', 1)`);
  await pool.query(`INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
    SELECT "id", "type", 7, 0 FROM "JmapAccount", unnest(ARRAY['Todo', 'Note']) AS "type"
    WHERE "id" LIKE 'n%' UNION ALL VALUES ('a1', 'Todo', ${COUNT}, 0)`);
  await pool.query(`INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind",
    "at")
    SELECT 'a1', 'Todo', n, 'r' || n, 0, ${Date.now()}
    FROM generate_series(1, ${COUNT}) AS "all"(n)`);
  await pool.query('VACUUM ANALYZE');
}

it(
  `PostgreSQL: ${ACCOUNTS} states are raised and ${COUNT} records go in steps, beside others`,
  async () => {
    const url = await postgresql().createDatabase('reset');
    const pool = openPool({ url, size: 4 });
    await migrate(pool, MIGRATIONS);
    await fill(pool);
    const prisma = openPrisma(pool);
    const store: ConstructorParameters<typeof Rig>[1] = {
      store: (types, now) =>
        createPostgresqlStore({
          conductor,
          pool: openPool({ url, size: 8, pipeline: true }),
          types,
          now,
        }),
    };
    const rig = new Rig({}, store);
    const clients = new Clients();
    onTestFinished(async () => {
      await clients.stop();
      await rig.close();
      await prisma.$disconnect();
      await pool.end();
    });
    const [Todo, Note] = TYPES.map((name) => rig.services.registry.dataTypes.get(name));
    if (Todo === undefined || Note === undefined) throw new Error('No such types.');

    // One that was ahead of the backup follows, as a client does: what it misses it would miss for
    // ever.
    let since = String(COUNT);
    const refused: string[] = [];
    const told: string[] = [];
    clients.go(async () => {
      const page = await rig.call('Todo/changes', { sinceState: since });
      if (page.error === undefined) {
        told.push(...page.created);
        since = page.newState;
        return;
      }
      refused.push(page.error);
      told.length = 0;
      since = (await rig.call('Todo/get', { ids: [] })).state;
    });
    const written: { readonly id: string; readonly number: number }[] = [];
    clients.go(async () => {
      const { created, newState } = await rig.call('Todo/set', { create: { k: { text: 'x' } } });
      written.push({ id: created.k.id, number: Number(newState) });
    });
    // Both counters of an account, in both orders, in accounts of all steps.
    clients.go((n) => {
      const accountId = `n${1 + ((n * 7919) % ACCOUNTS)}`;
      const types = n % 2 === 0 ? [Todo, Note] : [Note, Todo];
      return rig.services.store.write(
        accountId,
        { deadline: performance.now() + 30_000 },
        async (transaction) => {
          for (const type of types) {
            await transaction.record(type, [{ objectId: `o${n}`, kind: 'created' }]);
          }
        },
      );
    });

    const steps: { readonly sql: string; readonly rows: number; readonly calls: number }[] = [];
    let before = 0;
    const watch = watched(prisma, (sql, rows) => {
      steps.push({ sql, rows, calls: clients.answered - before });
      before = clients.answered;
    });
    await resetStates(watch, [...TYPES, 'Widget']);
    await clients.stop();

    const rowsOf = (what: RegExp) => steps.flatMap(({ sql, rows }) => (what.test(sql) ? rows : []));
    const raised = rowsOf(/^UPDATE "JmapState"/);
    expect(Math.max(...raised)).toBe(ACCOUNT_STEP * TYPES.length);
    expect(raised.length).toBe(Math.floor((ACCOUNTS + 2) / ACCOUNT_STEP) + 1);
    expect(Math.max(...rowsOf(/^INSERT/))).toBeLessThanOrEqual(ACCOUNT_STEP);
    const gone = rowsOf(/^DELETE/);
    expect(Math.max(...gone)).toBe(STEP);
    expect(gone.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThanOrEqual(COUNT);
    // Of pairs without records none is looked through.
    expect(gone.length).toBeLessThan(COUNT / STEP + written.length + clients.answered);
    expect(
      quietShare(
        steps.map(({ calls }) => calls),
        10,
      ),
    ).toBeLessThan(0.1);

    // Refused once, with what was told before worthless; from then on nothing is missed.
    expect(refused).toEqual(['cannotCalculateChanges']);
    for (const sinceState of ['0', String(COUNT >> 1), String(COUNT), String(COUNT + 5)]) {
      const { error } = await rig.call('Todo/changes', { sinceState });
      expect(error, sinceState).toBe('cannotCalculateChanges');
    }
    const { created } = await rig.call('Todo/changes', { sinceState: since });
    const all = new Set([...told, ...created]);
    const late = written.filter(({ number }) => number > LEAP);
    const missed = late.filter(({ id }) => !all.has(id));
    // The writes before it took the new state are in what it read then.
    const [last = 0] = missed.map(({ number }) => number).sort((a, b) => b - a);
    const [first = 0] = late.filter(({ id }) => all.has(id)).map(({ number }) => number);
    expect(last).toBeLessThan(first);
    expect(late.length).toBeGreaterThan(gone.length / 20);

    const { rows } = await pool.query<Json>(
      `SELECT count(*)::int AS "states", count(*) FILTER (WHERE "number" < ${LEAP})::int AS "low"
       FROM "JmapState"`,
    );
    // Three types of each account, and four of the directory, which has no account of its own.
    expect(rows).toEqual([{ states: (ACCOUNTS + 2) * 3 + 4, low: 0 }]);
    const { rows: old } = await pool.query(`SELECT 1 FROM "JmapChange" AS "c"
      JOIN "JmapState" USING ("accountId", "type") WHERE "c"."number" <= ${LEAP}`);
    expect(old).toEqual([]);
  },
  120_000 + 2 * COUNT,
);
