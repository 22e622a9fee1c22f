import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BLOB, Client, SYNC } from '../support/client.js';
import { makeToken, makeUser } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { runTools } from '../support/operator.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { registry } from '../support/registry.js';
import { ROOT, type RunningServer, startServer } from '../support/server.js';

const postgresql = usePostgresql();

/** The hash of a data type: of its own, or its capability's. */
function hashOf(name: string): string {
  for (const { dataTypes, descriptorHash } of registry)
    for (const type of dataTypes) if (type.name === name) return type.hash ?? descriptorHash;
  throw new Error(`There is no type ${name}.`);
}

const factsOf = (...names: readonly string[]): JsonMap =>
  Object.fromEntries(names.map((name) => [name, { hash: hashOf(name), setTellsAll: true }]));

async function syncOf(client: Client): Promise<JsonMap> {
  const { capabilities } = await client.session();
  return (capabilities as Record<string, JsonMap>)[SYNC] ?? {};
}

/** Returns the members that a client compares: the same in all processes of a database. */
async function lookAt(client: Client): Promise<readonly unknown[]> {
  const [{ epoch, types }, { sessionState }] = [await syncOf(client), await client.api([])];
  return [epoch, types, sessionState];
}

describe.each([
  { kind: 'SQLite', processes: 1, database: async () => ({}) },
  {
    kind: 'PostgreSQL',
    processes: 2,
    database: async () => ({ DATABASE_URL: await postgresql().createDatabase('sync') }),
  },
])('urn:jmapsmith:sync on $kind', ({ processes, database }) => {
  const servers: RunningServer[] = [];
  let accountId: string;
  let clients: readonly Client[];
  let client: Client;

  beforeAll(async () => {
    const env = await database();
    for (let n = 0; n < processes; n += 1) servers.push(await startServer({ env }));
    const made = await makeUser(servers[0] ?? expect.unreachable());
    ({ accountId, client } = made);
    clients = servers.map(({ url }) => new Client(url, made.token));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.remove()));
  });
  const first = (): RunningServer => servers[0] ?? expect.unreachable();

  it('the session has the epoch, and the facts of each type, alike in all processes', async () => {
    const sync = await syncOf(client);
    const { session, descriptorHash } = registry.find(({ urn }) => urn === SYNC) ?? {};
    expect(session).toEqual({});
    expect(sync).toEqual({
      epoch: expect.stringMatching(/^[\w-]{11}$/),
      types: factsOf('Note', 'Todo'),
      descriptorHash,
    });
    for (const other of clients) expect(await syncOf(other)).toEqual(sync);
    const { accounts, primaryAccounts } = await client.session();
    expect(JSON.stringify([accounts, primaryAccounts])).not.toContain(SYNC);
  });

  it('a narrowed token sees the types that it reaches, and the same epoch', async () => {
    const { epoch } = await syncOf(client);
    const typesOf = async (...args: readonly string[]): Promise<unknown> => {
      const token = await makeToken(first(), ['--user', 'u', ...args]);
      const sync = await syncOf(new Client(first().url, token));
      expect(sync['epoch']).toBe(epoch);
      return sync['types'];
    };
    expect(await typesOf('--capability', 'urn:example:todos')).toEqual(factsOf('Todo'));
    expect(await typesOf('--capability', 'urn:example:todos:read')).toEqual(factsOf('Todo'));
    expect(await typesOf('--type', 'Note')).toEqual(factsOf('Note'));
    expect(await typesOf('--capability', BLOB)).toEqual({});
  });

  it('a change of access and a restart leave it as it is', async () => {
    const before = await lookAt(client);
    await makeUser(first(), 'another');
    expect(await lookAt(client)).toEqual(before);
    const restarted = await first().restart();
    servers[0] = restarted;
    expect(await lookAt(client)).toEqual(before);
  });

  it('reset-states moves the epoch and the sessionState of running processes', async () => {
    const before = await lookAt(client);
    const { state } = await client.get('Todo', { accountId, ids: [] });
    await first().tool('scripts/account', ['reset-states']);
    const after = await eventually(async () => {
      const looks = await Promise.all(clients.map(lookAt));
      for (const look of looks) {
        expect(look[0]).not.toBe(before[0]);
        expect(look[2]).not.toBe(before[2]);
        expect(look).toEqual(looks[0]);
      }
      return looks[0];
    });
    expect(after?.[1]).toEqual(before[1]);
    for (const each of clients) {
      const [, refused] = await each.call('Todo/changes', { accountId, sinceState: state });
      expect(refused).toMatchObject({ type: 'cannotCalculateChanges' });
    }
  });

  it('a restored backup has another epoch, and refuses the states of before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sync-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'backup.tar');
    await client.set('Todo', { accountId, create: { k: { text: 'kept' } } });
    await first().tool('scripts/backup', [file]);
    // The client goes on: it is ahead of the backup.
    await client.set('Todo', { accountId, create: { k: { text: 'lost' } } });
    const { state } = await client.get('Todo', { accountId, ids: [] });
    const before = await lookAt(client);

    const epochs = [before[0]];
    for (const name of ['one', 'two']) {
      const dataDir = join(folder, name);
      const env = await database();
      const place = { DATA_DIR: dataDir, BLOB_STORE: `file:${dataDir}/blobs` };
      const fresh = { ...first().env, DATABASE_URL: `file:${dataDir}/jmap.db`, ...place, ...env };
      await runTools({ root: ROOT, env: fresh, steps: [['scripts/restore', [file]]] });
      const restored = await startServer({ dataDir, env });
      onTestFinished(async () => void (await restored.kill()));
      const back = new Client(restored.url, client.token);
      const look = await lookAt(back);
      expect(look[1]).toEqual(before[1]);
      expect(look[2]).not.toBe(before[2]);
      epochs.push(look[0]);
      for (const sinceState of [state, '0', '1']) {
        const [, refused] = await back.call('Todo/changes', { accountId, sinceState });
        expect(refused).toMatchObject({ type: 'cannotCalculateChanges' });
      }
    }
    // Two restores of one backup are two histories.
    expect(new Set(epochs).size).toBe(3);
  });
});
