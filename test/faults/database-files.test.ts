import {
  copyFileSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, httpAnswer } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { startServer, useServer } from '../support/server.js';

// Other programs change the files of an SQLite database while a server has them open, or before it
// starts.

const server = useServer();
const fileOf = (): string => join(server().dataDir, 'jmap.db');

let client: Client;
let accountId: string;
beforeAll(async () => {
  ({ client, accountId } = await makeUser(server(), 'someone'));
});

/** One create; the error's type where it is refused. */
async function write(text: string): Promise<string> {
  const call = ['Todo/set', { accountId, create: { k: { text } } }, 'c'];
  const body = JSON.stringify({ using: client.using, methodCalls: [call] });
  const { json } = await client.post(body);
  const [name, args] = (json as unknown as { methodResponses: [[string, { type: string }]] })
    .methodResponses[0];
  return name === 'error' ? args.type : name;
}

async function texts(): Promise<readonly unknown[]> {
  const { list } = await client.get('Todo', { accountId });
  return list.map(({ text }) => text);
}

describe('a file of the database under a running server', () => {
  it.each([
    ['jmap.db is renamed', 'jmap.db', null],
    ['jmap.db is replaced by a copy of itself', 'jmap.db', 'copy'],
    ['jmap.db is replaced by an empty file', 'jmap.db', 'empty'],
    ['the write-ahead log is removed', 'jmap.db-wal', null],
    ["the log's index is removed", 'jmap.db-shm', null],
    ['the file of the lock is removed', 'jmap.db.lock', null],
    ['the file of the lock is replaced', 'jmap.db.lock', 'empty'],
  ] as const)(
    '%s: no write is acknowledged until the same file is back',
    async (what, name, other) => {
      const path = join(server().dataDir, name);
      const before = await texts();
      expect(await write(`before ${what}`)).toBe('Todo/set');
      renameSync(path, `${path}.away`);
      if (other === 'copy') copyFileSync(`${path}.away`, path);
      if (other === 'empty') writeFileSync(path, '');
      expect([await write('lost'), await write('lost')]).toEqual([
        'serverUnavailable',
        'serverUnavailable',
      ]);
      const { status, headers, text } = await httpAnswer(`${server().url}/readyz`);
      expect([status, headers.get('retry-after'), JSON.parse(text)]).toEqual([
        503,
        '1',
        { status: 'unavailable', reason: 'The database was removed or replaced.' },
      ]);
      renameSync(`${path}.away`, path);
      expect((await httpAnswer(`${server().url}/readyz`)).status).toBe(200);
      expect(await write(`after ${what}`)).toBe('Todo/set');
      expect(new Set(await texts())).toEqual(
        new Set([...before, `before ${what}`, `after ${what}`]),
      );
    },
  );

  it('tells the operator which file, and what to do', async () => {
    await eventually(() => {
      const lines = server()
        .stderr()
        .split('\n')
        .filter((line) => line.includes('"msg":"unavailable"'));
      expect(lines.map((line) => (JSON.parse(line) as { reason: string }).reason)).toContainEqual(
        expect.stringMatching(/jmap\.db is no longer the file that was opened.*restart the server/),
      );
    });
  });
});

describe('a database file with two paths', () => {
  it('by a hard link: a server on either path and commands beside it are refused', async () => {
    const linked = join(server().dataDir, 'linked.db');
    linkSync(fileOf(), linked);
    try {
      for (const file of [linked, fileOf()]) {
        const env = { DATABASE_URL: `file:${file}` };
        const failure = await startServer({ env, dataDir: server().dataDir }).catch(String);
        expect(failure).toMatch(/ended with 1\./);
        expect(failure).toMatch(/jmapsmith: \S+\.db has 2 hard links: .*Remove the other names/);
        expect(failure).not.toMatch(/\n +at /);
      }
      const command = await server().command('scripts/token', ['list']);
      expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('2 hard links') });
      // The one that has the file goes on.
      expect(await write('beside a hard link')).toBe('Todo/set');
    } finally {
      rmSync(linked);
    }
    expect((await server().command('scripts/token', ['list'])).code).toBe(0);
  });

  it('by a symbolic link: there is one lock', async () => {
    const link = join(server().dataDir, 'symbolic.db');
    symlinkSync(fileOf(), link);
    const env = { DATABASE_URL: `file:${link}` };
    await expect(startServer({ env, dataDir: server().dataDir })).rejects.toThrow(
      /ended with 1\.[\s\S]*Another server is running/,
    );
  });
});

describe('a database that is removed for good', () => {
  it('is not made again by the server, which stops in order', async () => {
    const own = await startServer();
    try {
      const made = await makeUser(own, 'someone');
      for (const name of ['jmap.db', 'jmap.db-wal', 'jmap.db-shm']) rmSync(join(own.dataDir, name));
      const create = { k: { text: 'x' } };
      await expect(made.client.set('Todo', { accountId: made.accountId, create })).rejects.toThrow(
        'serverUnavailable',
      );
      expect(await own.stop()).toEqual({ code: 0, signal: null });
      expect(readdirSync(own.dataDir).filter((name) => /^jmap\.db($|-)/.test(name))).toEqual([]);
    } finally {
      await own.remove();
    }
  });
});
