import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { type Fixtures, makeFixtures, makeUser } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

// Hooks that read and put blobs and query, served as a team would: test/hooks/missives.yaml.
const MISSIVES = 'https://example.com/jmap/missives';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('hooks on %s', (database) => {
  let server: RunningServer;
  let fixtures: Fixtures;
  let client: Client;
  let accountId: string;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'missives-'));
    env = {
      ...{ HOOK_TIMEOUT: '1s', MAX_SIZE_UPLOAD: '1000000' },
      MISSIVES_OUT: join(folder, 'out'),
    };
    if (database === 'PostgreSQL')
      env['DATABASE_URL'] = await postgresql().createDatabase('missives');
    server = await startServer({ project: await sharedProject(), env });
    fixtures = await makeFixtures(server, ['u2']);
    client = fixtures.u1.with([CORE, MISSIVES]);
    accountId = fixtures.A1;
  }, 600_000);
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (name: string, args: object = {}): Promise<Json> => {
    const { methodResponses } = await client.api([[name, { accountId, ...args }, 'c']]);
    const [answered, response] = methodResponses[0] as unknown as [string, Json];
    return answered === name ? response : { error: response.type, ...response };
  };
  const upload = async (text: string, by = fixtures.u1): Promise<string> =>
    (await by.upload(accountId, text, 'text/plain')).blobId;
  /** How many blobs have octets. */
  const octets = (): number =>
    readdirSync(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile(),
    ).length;

  test('read blobs, and put blobs that the objects of the call name', async () => {
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
    await server.tool('scripts/account', ['grant', accountId, '--user', 'u2']);
    const other = fixtures.u2.with([CORE, MISSIVES]);
    const blobId = await upload('Mine');
    const by = async (asker: Client): Promise<string> => {
      const { methodResponses } = await asker.api([['Missive/import', { accountId, blobId }, 'c']]);
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
    const all = calls.map(([name, args], at) => [name, { accountId, ...args }, `c${at}`] as const);
    return (await client.api(all)).methodResponses as unknown as Json[];
  };

  test('know creation ids, and own methods take them as ids', async () => {
    const [[, { created }], [, marked], [, got]] = await request([
      ['Missive/set', { create: { k: { subject: 'named' } } }],
      ['Missive/mark', { id: '#k' }],
      ['Missive/get', { ids: ['#k'] }],
    ]);
    expect(created.k).toMatchObject({ key: 'k' });
    expect(marked).toEqual({ accountId, id: created.k.id });
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

  /** The lines by which hooks have told the world outside. */
  const seen = (): Json[] =>
    readFileSync(join(folder, 'out'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const seenOf = (subject: string): Json[] => seen().filter((line) => line.subject === subject);
  const send = (subject: string): Promise<Json> =>
    call('Errand/set', { create: { p: { subject } } });

  test('run a durable afterCommit until it succeeds, with the same id', async () => {
    await send('twice');
    await send('once');
    expect((await send('undone')).error).toBe('serverFail');
    await eventually(() => expect(seenOf('twice')).toHaveLength(2));
    const [first, second] = seenOf('twice');
    expect(first).toMatchObject({ attempt: 1, method: 'Errand/set' });
    expect(second).toEqual({ ...first, attempt: 2 });
    expect(seenOf('once')).toHaveLength(1);
    expect(seenOf('undone')).toEqual([]);
    await eventually(async () => {
      const { text } = await client.http('/metrics');
      expect(text).toContain('jmap_hook_tasks{state="waiting"} 0');
      expect(text).toContain('jmap_hook_tasks{state="failing"} 0');
    });
    expect(server.stderr() + server.stdout()).toContain('a task of a hook failed');
  });

  test('seed a new account once, also one that a command makes', async () => {
    const { client: owner, accountId: made } = await makeUser(server, 'newcomer');
    const missives = async (): Promise<Json> => {
      const get = { accountId: made, ids: null, properties: ['subject'] };
      const { methodResponses } = await owner
        .with([CORE, MISSIVES])
        .api([['Missive/get', get, 'c']]);
      return (methodResponses[0] as unknown as Json)[1].list.map(({ subject }: Json) => subject);
    };
    await eventually(async () => expect(await missives()).toHaveLength(1));
    expect((await missives())[0]).toMatch(/^Welcome to /);
  });
});
