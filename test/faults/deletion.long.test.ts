import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { Client } from '../support/client.js';
import { makeToken } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { ROOT, startServer } from '../support/server.js';

/**
 * kill -9 of a command that deletes a large account: the server goes on, and nobody reaches it
 * meanwhile.
 */

const OBJECTS = 20_000;
const IN_ONE_SET = 500;

/** Asks the database beside the server; the first column of the first row. */
type Ask = (sql: string) => Promise<unknown>;

const postgresql = usePostgresql();

async function killedInDeletion(
  ask: (dataDir: string) => Promise<{ ask: Ask; close(): Promise<void> }>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  let server = await startServer({ env });
  const database = await ask(server.dataDir);
  try {
    const [large, other] = [
      await server.tool('scripts/account', ['create', '--name', 'A', '--user', 'u']),
      await server.tool('scripts/account', ['create', '--name', 'B', '--user', 'u']),
    ];
    let client = new Client(server.url, await makeToken(server, ['--user', 'u']));
    for (let from = 0; from < OBJECTS; from += IN_ONE_SET) {
      const create = Object.fromEntries(
        Array.from({ length: IN_ONE_SET }, (_, n) => [`k${n}`, { text: `T ${from + n}` }]),
      );
      await client.set('Todo', { accountId: large, create });
    }
    await client.upload(large, 'octets of a blob', 'text/plain');
    const left = (table: string) =>
      database.ask(`SELECT count(*) FROM "${table}" WHERE "accountId" = '${large}'`).then(Number);
    expect(await left('Todo')).toBe(OBJECTS);

    const deletion = spawn(
      process.execPath,
      ['dist/scripts/account.js', 'delete', large, '--yes'],
      { cwd: ROOT, env: server.env, stdio: 'ignore' },
    );
    const ended = once(deletion, 'exit');
    while ((await left('Todo')) === OBJECTS && deletion.exitCode === null) await pause(1);
    deletion.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const rest = await left('Todo');
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThan(OBJECTS);

    const refused = async () =>
      (await client.call('Todo/get', { accountId: large, ids: null, properties: ['id'] }))[1];
    await eventually(async () =>
      expect(await refused()).toMatchObject({ type: 'accountNotFound' }),
    );
    expect(
      (await client.set('Todo', { accountId: other, create: { k: { text: 'T' } } })).created,
    ).toHaveProperty('k');

    // A minute later, and a server that starts then.
    await server.kill();
    await database.ask(
      `UPDATE "JmapMeta" SET "value" = '1' WHERE "key" LIKE 'deletion:%' RETURNING 1`,
    );
    server = await startServer({ dataDir: server.dataDir, env });
    client = new Client(server.url, client.token);
    const gone = `SELECT count(*) FROM "JmapAccount" WHERE "id" = '${large}'`;
    let calls = 0;
    while (Number(await database.ask(gone)) > 0) {
      await client.set('Todo', { accountId: other, create: { k: { text: 'T' } } });
      calls += 1;
    }
    expect(calls).toBeGreaterThan(0);
    for (const table of ['Todo', 'JmapChange', 'JmapState', 'JmapBlob', 'JmapAccess'])
      expect([table, await left(table)]).toEqual([table, 0]);
    expect(readdirSync(join(server.dataDir, 'blobs'))).not.toContain(large);
    expect(server.stderr()).not.toMatch(/upkeep failed/);
  } finally {
    await database.close();
    await server.remove();
  }
}

it('on SQLite: kill -9 in the middle of a deletion', async () => {
  await killedInDeletion(async (dataDir) => {
    const db = new SqliteDatabase(join(dataDir, 'jmap.db'), { timeout: 10_000 });
    const ask: Ask = async (sql) => db.prepare(sql).pluck().get();
    return { ask, close: async () => void db.close() };
  }, {});
});

it('on PostgreSQL: kill -9 in the middle of a deletion', async () => {
  const url = await postgresql().createDatabase('deleted');
  await killedInDeletion(
    async () => {
      const pool = openPool({ url, size: 1 });
      const ask: Ask = async (sql) => {
        const { rows } = await pool.query({ text: sql, rowMode: 'array' });
        return (rows as unknown[][])[0]?.[0];
      };
      return { ask, close: () => pool.end() };
    },
    { DATABASE_URL: url },
  );
});
