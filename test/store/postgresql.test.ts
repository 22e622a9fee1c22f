import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresqlSearchSql } from '../../scripts/generator/migrations/search.js';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { UnavailableError, UnknownOutcomeError } from '../../src/protocol/errors.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { destroyedRows, rigOnPostgresql } from '../methods/destroyed-rows.js';
import { onceCases } from '../methods/once-cases.js';
import { storageNames } from '../methods/storage-names.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Gadget, gadget, gadgetTable, SEARCH, TYPES } from './gadget.js';
import { A, B } from './suite/bench.js';
import { storeSuite } from './suite.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

const TABLES = [
  'Gadget',
  'JmapAccount',
  'JmapState',
  'JmapChange',
  'JmapScope',
  'JmapGrant',
  'JmapMember',
  'JmapReference',
  'JmapBlob',
  'JmapBlobReference',
];

const ACCOUNTS = `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
  VALUES ('${A}', 'one', 'u', 1), ('${B}', 'two', 'u', 2)`;

const postgresql = usePostgresql();
let database: Promise<string> | undefined;

/** One database for all tests, emptied before each: making one takes longer than most of them. */
async function prepare(): Promise<string> {
  const url = await postgresql().createDatabase('store');
  const pool = openPool({ url, size: 1 });
  await migrate(pool, MIGRATIONS);
  await pool.query(gadgetTable('TEXT COLLATE "C"', 'JSONB'));
  const search = postgresqlSearchSql({ table: Gadget.table, search: SEARCH });
  for (const statement of search.create) await pool.query(statement);
  await pool.end();
  return url;
}

async function open({ now }: { readonly now: () => number }) {
  database ??= prepare();
  const url = await database;
  const pool = openPool({ url, size: 8, pipeline: true });
  // Of few rows: TRUNCATE makes each table's and index's file anew, which takes longer than most
  // tests.
  await pool.query(TABLES.map((table) => `DELETE FROM "${table}"`).join('; '));
  await pool.query(ACCOUNTS);
  const statements: string[] = [];
  const onStatement = (sql: string): void => void statements.push(sql);
  const store = createPostgresqlStore({ conductor, pool, types: TYPES, now, onStatement });
  // Of a connection of its own: those of the store may have been left to read alone.
  const run = async (sql: string) => {
    const operator = openPool({ url, size: 1 });
    try {
      return await operator.query(sql);
    } finally {
      await operator.end();
    }
  };
  return { store, statements, url, run, close: () => store.close() };
}

storeSuite('PostgreSQL', open);

storageNames('postgresql', () => postgresql().createDatabase('names'));
onceCases('postgresql', () => postgresql().createDatabase('once'));
destroyedRows('PostgreSQL', async () =>
  rigOnPostgresql(await postgresql().createDatabase('destroyed')),
);

/** Tables that are not one account's: small ones, of which each shard would have a copy. */
const SHARED = new Set([
  // The users, their groups and the accounts.
  'JmapUser',
  'JmapGroup',
  'JmapMember',
  'JmapAccount',
  'JmapToken',
  'JmapTokenAccount',
  'JmapTicket',
  // Facts about the whole database.
  'JmapMeta',
  '_prisma_migrations',
]);

/** Indexes that begin otherwise: each serves a question about many accounts. */
const ACROSS = new Set([
  // The accounts of a user.
  'JmapAccess_userId_idx',
  // The blobs of all accounts that nothing has referred to for longest.
  'JmapBlob_unreferencedSince_idx',
  // The accounts in which something is shared with a principal.
  'JmapGrant_principalId_accountId_scope_idx',
  // The accounts in which objects have a group's scope.
  'JmapScope_scope_accountId_type_number_gone_idx',
  // The principals whose reach shares have changed.
  'JmapReach_number_idx',
  'JmapReach_pkey',
  // The oldest answers of all accounts that are kept for calls with a key.
  'JmapOnce_at_idx',
  // The work of hooks that is due, in all accounts.
  'JmapTask_due_idx',
  // Push subscriptions and their creations belong to tokens, not to accounts.
  'JmapPushCreation_at_idx',
  'JmapPushCreation_host_at_idx',
  'JmapPushCreation_pkey',
  'JmapPushCreation_userId_at_idx',
  'JmapPushSubscription_expires_idx',
  'JmapPushSubscription_pkey',
  'JmapPushSubscription_shard_idx',
  'JmapPushSubscription_tokenId_idx',
  'JmapPushSubscription_userId_idx',
  // Identities, sign-outs, rates and the audit belong to users.
  'JmapAudit_at_idx',
  'JmapAudit_pkey',
  'JmapIdentity_pkey',
  'JmapIdentity_userId_idx',
  'JmapLogout_expires_idx',
  'JmapLogout_pkey',
  'JmapRate_expires_idx',
  'JmapRate_pkey',
  // The keys of the whole database that sign pushes.
  'JmapVapidKey_pkey',
]);

describe('store on PostgreSQL alone', () => {
  const soon = () => ({ deadline: performance.now() + 20_000 });

  it('RFC 8620 5.3: two processes that write to one account take turns', async () => {
    const { store, url, close } = await open({ now: Date.now });
    onTestFinished(close);
    const other = createPostgresqlStore({
      conductor,
      pool: openPool({ url, size: 4, pipeline: true }),
      types: TYPES,
    });
    onTestFinished(() => other.close());
    const add = (from: typeof store, id: string) =>
      from.write(A, soon(), async (transaction) => {
        const before = await transaction.stateNumber(Gadget);
        await transaction.writeRows('insert', Gadget, [gadget(id)]);
        const after = await transaction.record(Gadget, [{ objectId: id, kind: 'created' }]);
        return [before, after];
      });
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) => add(index % 2 === 0 ? store : other, `r${index}`)),
    );
    const sorted = all.sort(([, a = 0], [, b = 0]) => a - b);
    expect(sorted).toEqual(Array.from({ length: 40 }, (_, index) => [index, index + 1]));
  });

  it('waiting for another process ends at the deadline', async () => {
    const { store, url, close } = await open({ now: Date.now });
    onTestFinished(close);
    const holder = openPool({ url, size: 1 });
    const client = await holder.connect();
    await client.query(`BEGIN; SELECT 1 FROM "JmapAccount" WHERE "id" = '${A}' FOR UPDATE`);
    const waiting = store.write(A, { deadline: performance.now() + 300 }, (transaction) =>
      transaction.writeRows('insert', Gadget, [gadget('r1')]),
    );
    await expect(waiting).rejects.toBeInstanceOf(UnavailableError);
    await client.query('ROLLBACK');
    client.release();
    await holder.end();
    await store.write(A, soon(), (transaction) =>
      transaction.writeRows('insert', Gadget, [gadget('r2')]),
    );
  });

  it('a connection that the server ends is unavailable; the next call has another', async () => {
    const { store, url, close } = await open({ now: Date.now });
    onTestFinished(close);
    const operator = openPool({ url, size: 1 });
    onTestFinished(() => operator.end());
    const cut = store.write(A, soon(), async (transaction) => {
      await transaction.writeRows('insert', Gadget, [gadget('r1')]);
      await operator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await transaction.writeRows('insert', Gadget, [gadget('r2')]);
    });
    await expect(cut).rejects.toBeInstanceOf(UnavailableError);
    const count = store.read(A, soon(), (snapshot) => snapshot.count(Gadget, { kind: 'all' }));
    expect(await count).toBe(0);
  });

  it('tells a commit that nobody answered from one that was not made', async () => {
    const { store, url, close } = await open({ now: Date.now });
    onTestFinished(close);
    const operator = openPool({ url, size: 1 });
    const atCommit = async (body: string): Promise<void> => {
      await operator.query(`CREATE OR REPLACE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN ${body}; RETURN NULL; END $$`);
    };
    await atCommit('PERFORM pg_terminate_backend(pg_backend_pid())');
    await operator.query(`CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON "Gadget"
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()`);
    onTestFinished(async () => {
      await operator.query('DROP FUNCTION at_commit CASCADE');
      await operator.end();
    });
    const insert = () =>
      store.write(A, soon(), (t) => t.writeRows('insert', Gadget, [gadget('r1')]));
    await expect(insert()).rejects.toBeInstanceOf(UnknownOutcomeError);
    await atCommit(`RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'`);
    const known = insert().catch((error: unknown) => error);
    expect(await known).toBeInstanceOf(UnavailableError);
    expect(await known).not.toBeInstanceOf(UnknownOutcomeError);
    await atCommit('PERFORM 1');
    await insert();
  });

  it('every key and index of what an account has begins with accountId', async () => {
    const { url, close } = await open({ now: Date.now });
    onTestFinished(close);
    const operator = openPool({ url, size: 1 });
    onTestFinished(() => operator.end());
    const { rows } = await operator.query<{ table: string; index: string; first: string }>(`
      SELECT t.relname AS "table", i.relname AS "index",
        pg_get_indexdef(x.indexrelid, 1, true) AS "first"
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
      JOIN pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = 'public'`);
    const others = rows.filter(({ first }) => !/^"?accountId"?$/.test(first));
    const named = others.map(({ table, index }) => (SHARED.has(table) ? table : index));
    expect(new Set(named)).toEqual(new Set([...SHARED, ...ACROSS]));
    // And all that has an account at all is keyed by it.
    expect(rows.length - others.length).toBeGreaterThan(10);
  });
});
