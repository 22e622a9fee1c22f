import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { openPrismaStandalone } from '../../src/database/sqlite/prisma.js';
import type { Client } from '../support/client.js';
import { makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { useMissives } from './missives-rig.js';

// Hooks that read and put blobs and query, served as a team would: test/hooks/missives.yaml.

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

/** Tests such hooks on a database: SQLite in the fast tier, PostgreSQL in the long one. */
export function missivesSuite(database: 'SQLite' | 'PostgreSQL'): void {
  const postgresql = usePostgresql();
  describe(`hooks on ${database}`, () => {
    const missives = useMissives(database, postgresql, () => ({
      MAX_SIZE_UPLOAD: '1000000',
    }));
    const call = (name: string, args: object = {}): Promise<Json> => missives().call(name, args);
    const upload = async (text: string): Promise<string> => {
      const { fixtures, accountId } = missives();
      return (await fixtures.u1.upload(accountId, text, 'text/plain')).blobId;
    };
    /** How many blobs have octets. */
    const octets = (): number =>
      readdirSync(join(missives().server.dataDir, 'blobs'), {
        recursive: true,
        withFileTypes: true,
      }).filter((entry) => entry.isFile()).length;

    test('read blobs, and put blobs that the objects of the call name', async () => {
      const { client, accountId } = missives();
      const blobId = await upload('Dear Ann\nhow are you?');
      for (const mode of ['fine', 'stream']) {
        const { id, size } = await call('Missive/import', { blobId, mode });
        expect(size).toBe(21);
        const [letter] = (await call('Missive/get', { ids: [id] })).list;
        expect(letter).toMatchObject({ subject: 'Dear Ann', words: 5 });
        const body = await client.http(`/jmap/download/${accountId}/${letter.bodyId}/body`);
        expect(body.text).toBe('DEAR ANN\nHOW ARE YOU?');
      }
      expect((await call('Missive/import', { blobId: 'nothing' })).error).toBe('invalidArguments');
    });

    test('see no blob that the user of the call may not see', async () => {
      const { server, fixtures, client, accountId } = missives();
      await server.tool('scripts/account', ['grant', accountId, '--user', 'u2']);
      const other = missives().of(fixtures.u2);
      const blobId = await upload('Mine');
      const by = async (asker: Client): Promise<string> => {
        const { methodResponses } = await asker.api([
          ['Missive/import', { accountId, blobId }, 'c'],
        ]);
        const [name, response] = methodResponses[0] as unknown as [string, Json];
        return name === 'error' ? response.type : name;
      };
      expect(await by(other)).toBe('invalidArguments');
      expect(await by(client)).toBe('Missive/import');
    });

    test.each(['throw', 'slow', 'large'])(
      'leave no blob of a call that is undone: %s',
      async (mode) => {
        const blobId = await upload(`Of ${mode}`);
        const before = octets();
        expect((await call('Missive/import', { blobId, mode })).error).toBe('serverFail');
        await eventually(() => expect(octets()).toBe(before));
        expect((await call('Missive/search', { text: `Of ${mode}` })).ids).toEqual([]);
      },
    );

    test('query by conditions and sorts, with position and limit', async () => {
      const ids: string[] = [];
      for (const text of ['Query a b', 'Query a b c', 'Query a'])
        ids.push((await call('Missive/import', { blobId: await upload(text) })).id);
      const [three, four, two] = ids;
      const text = 'query';
      const all = await call('Missive/search', { text });
      expect(all.ids).toEqual([four, three, two]);
      expect(all.heads).toEqual(['QUER', 'QUER', 'QUER']);
      const from = async (position: number, limit = 10): Promise<Json> =>
        (await call('Missive/search', { text, position, limit })).ids;
      expect(await from(1, 1)).toEqual([three]);
      expect(await from(-1)).toEqual([two]);
      expect(await from(-9, 2)).toEqual([four, three]);
      expect(await from(3)).toEqual([]);
    });

    const request = async (calls: readonly [string, object][]): Promise<Json[]> => {
      const { client, accountId } = missives();
      const all = calls.map(
        ([name, args], at) => [name, { accountId, ...args }, `c${at}`] as const,
      );
      return (await client.api(all)).methodResponses as unknown as Json[];
    };

    test('know creation ids, and own methods take them as ids', async () => {
      const [[, { created }], [, marked], [, got]] = await request([
        ['Missive/set', { create: { k: { subject: 'named' } } }],
        ['Missive/mark', { id: '#k' }],
        ['Missive/get', { ids: ['#k'] }],
      ]);
      expect(created.k).toMatchObject({ key: 'k' });
      expect(marked).toEqual({ accountId: missives().accountId, id: created.k.id });
      expect(got.list[0]).toMatchObject({ key: 'k', isMarked: true });
      expect((await call('Missive/mark', { id: '#nobody' })).error).toBe('invalidArguments');
    });

    test('RFC 8621 7.5: add calls behind their own, under the same call id', async () => {
      const responses = await request([
        ['Missive/set', { create: { k: { subject: 'a' }, l: {} }, onSuccessMark: ['#k'] }],
        ['Missive/get', { ids: ['#k'], properties: ['isMarked'] }],
      ]);
      expect(responses.map(([name, , callId]) => [name, callId])).toEqual([
        ['Missive/set', 'c0'],
        ['Missive/set', 'c0'],
        ['Missive/get', 'c1'],
      ]);
      const [[, { created }], [, { updated }], [, { list }]] = responses;
      expect(Object.keys(updated)).toEqual([created.k.id]);
      expect(list).toEqual([{ id: created.k.id, isMarked: true }]);
      const undone = await request([['Missive/set', { create: { m: { subject: 'throw' } } }]]);
      expect(undone.map(([name]) => name)).toEqual(['error']);
      const wrong = await request([['Missive/set', { create: { m: { subject: 'then wrong' } } }]]);
      expect(wrong.map(([, { type }]) => type)).toEqual(['serverFail']);
    });

    test('RFC 9610 2.3: act on an added argument without changes, and tell theirs', async () => {
      const set = async (args: object): Promise<Json> =>
        (await request([['Missive/set', args]]))[0]?.[1];
      const { created } = await set({ create: { k: { subject: 'a' } } });
      const { id } = created.k;
      const refused = await set({ create: { l: {} }, update: { [id]: 5 }, onSuccessCrown: id });
      expect([refused.updated, refused.newState]).toEqual([null, refused.oldState]);
      const crowned = await set({ onSuccessCrown: id });
      expect(crowned.updated).toEqual({ [id]: { isMarked: true, updated: expect.any(String) } });
      expect(Number(crowned.newState)).toBe(Number(crowned.oldState) + 1);
      const again = await set({ create: { m: { subject: 'b' } }, onSuccessCrown: 'm' });
      expect(again).toMatchObject({ created: { m: { isMarked: true } }, updated: null });
    });

    test('run a durable afterCommit until it succeeds, with the same id', async () => {
      const { server, client } = missives();
      await missives().send('twice');
      await missives().send('once');
      expect((await missives().send('undone')).error).toBe('serverFail');
      await eventually(() => expect(missives().seenOf('twice')).toHaveLength(2));
      const [first, second] = missives().seenOf('twice');
      expect(first).toMatchObject({ attempt: 1, method: 'Errand/set' });
      expect(second).toEqual({ ...first, attempt: 2 });
      expect(missives().seenOf('once')).toHaveLength(1);
      expect(missives().seenOf('undone')).toEqual([]);
      await eventually(async () => {
        const { text } = await client.http('/metrics');
        expect(text).toContain('jmap_hook_tasks{state="waiting"} 0');
        expect(text).toContain('jmap_hook_tasks{state="failing"} 0');
      });
      expect(server.stderr() + server.stdout()).toContain('a task of a hook failed');
    });

    test('write down what a durable afterCommit has done', async () => {
      await missives().send('note');
      const subjects = async (): Promise<Json> =>
        (await call('Missive/get', { ids: null, properties: ['subject'] })).list;
      await eventually(async () =>
        expect(await subjects()).toContainEqual({ id: expect.any(String), subject: 'note' }),
      );
    });

    test('end the stream of a blob when its hook is given up', async () => {
      const blobId = await upload('Without end');
      const before = octets();
      expect((await call('Missive/import', { blobId, mode: 'endless' })).error).toBe('serverFail');
      await eventually(() => expect(missives().seen()).toContainEqual({ stream: 'ended' }));
      await eventually(() => expect(octets()).toBe(before));
    });

    test('run beside a durable afterCommit that waits', async () => {
      const { server } = missives();
      await missives().send('held');
      await eventually(() => expect(missives().seenOf('held')).toHaveLength(1));
      await missives().send('quick');
      await eventually(() => expect(missives().seenOf('quick')).toHaveLength(1));
      expect(server.stdout()).not.toContain('afterCommit of Errand took longer');
    });

    test('leave tasks that a command drops, once their hook is gone', async () => {
      const { server, accountId, env } = missives();
      const tool = (args: readonly string[]) => server.command('scripts/tasks', args);
      const file = join(server.dataDir, 'jmap.db');
      const database = env['DATABASE_URL'] ?? file;
      await keepTasks(database, accountId, { 'afterCommit:Gone': 2, 'afterCommit:Lost': 1 });
      const { stdout } = await tool([]);
      expect(stdout).toMatch(/^afterCommit:Gone +2 tasks +1 failed +gone$/m);
      expect(stdout).toMatch(/^afterCommit:Lost +1 task +1 failed +gone$/m);
      expect(stdout).not.toMatch(/Errand.*gone/);
      expect(await tool(['--drop', 'afterCommit:Errand'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('A hook still does the tasks of afterCommit:Errand'),
      });
      expect(await tool(['--drop', 'afterCommit:Gone'])).toMatchObject({
        code: 0,
        stdout: '2 tasks of afterCommit:Gone dropped\n',
      });
      const { stdout: dropped } = await tool(['--drop', 'afterCommit:Lost']);
      expect(dropped).toBe('1 task of afterCommit:Lost dropped\n');
    });

    test('seed a new account once, also one that a command makes', async () => {
      const { server } = missives();
      const { client: owner, accountId: made } = await makeUser(server, 'newcomer');
      const subjects = async (): Promise<Json> => {
        const get = { accountId: made, ids: null, properties: ['subject'] };
        const { methodResponses } = await missives()
          .of(owner)
          .api([['Missive/get', get, 'c']]);
        return (methodResponses[0] as unknown as Json)[1].list.map(({ subject }: Json) => subject);
      };
      await eventually(async () => expect(await subjects()).toHaveLength(1));
      expect((await subjects())[0]).toMatch(/^Welcome to /);
    });

    test('keep no port open while the server ends', async () => {
      const { server } = missives();
      const { pid } = server;
      const exit = server.stop();
      const isOpen = (): Promise<boolean> =>
        fetch(`${server.url}/healthz`).then(
          () => true,
          () => false,
        );
      await eventually(async () => expect(await isOpen()).toBe(false));
      // The job `slow` runs.
      expect(process.kill(pid, 0)).toBe(true);
      missives().release();
      expect(await exit).toEqual({ code: 0, signal: null });
    });
  });
}

/** Keeps tasks as a version with hooks of these kinds did; the first of each has failed. */
async function keepTasks(
  database: string,
  accountId: string,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const pool = database.includes('://') ? openPool({ url: database, size: 1 }) : null;
  const prisma = pool === null ? openPrismaStandalone(database) : openPrisma(pool);
  const task = { accountId, payload: '{}', due: 0n, attempts: 0n };
  const data = Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ ...task, kind, id: `${kind}${at}` },
      error: at === 0 ? 'Error: no' : null,
    })),
  );
  await prisma.jmapTask.createMany({ data });
  await prisma.$disconnect();
  await pool?.end();
}
