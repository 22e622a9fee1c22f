import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../support/client.js';
import { useServer } from '../../support/server.js';

const server = useServer();

let account: string;
let client: Client;

/**
 * No server is told of a command: each request below is the very next one, with nothing waited for.
 */
const run = (tool: string, ...args: readonly string[]): Promise<string> =>
  server().tool(`scripts/${tool}`, args);

beforeAll(async () => {
  account = await run('account', 'create', '--name', 'First', '--user', 'alice');
  client = new Client(server().url, await run('token', 'create', '--user', 'alice'));
});

async function accounts(): Promise<Readonly<Record<string, unknown>>> {
  return (await client.session())['accounts'] as Readonly<Record<string, unknown>>;
}

describe('a command beside a running server', () => {
  it('names, grants and revocations show in the session, its state and in methods', async () => {
    const other = await run('account', 'create', '--name', 'Other', '--user', 'bob');
    const { state } = await client.session();
    expect(Object.keys(await accounts())).toEqual([account]);
    await run('account', 'grant', other, '--user', 'alice', '--read-only');
    expect(await accounts()).toMatchObject({ [other]: { isReadOnly: true, isPersonal: false } });
    const create = { k: { text: 'T' } };
    const [, refused] = await client.call('Todo/set', { accountId: other, create });
    expect(refused).toMatchObject({ type: 'accountReadOnly' });
    await run('account', 'grant', other, '--user', 'alice');
    expect((await client.set('Todo', { accountId: other, create })).created).toHaveProperty('k');
    await run('account', 'rename', other, 'Another');
    expect(await accounts()).toMatchObject({ [other]: { name: 'Another', isReadOnly: false } });
    expect((await client.session())['state']).not.toBe(state);

    await run('account', 'revoke', other, '--user', 'alice');
    const [, gone] = await client.call('Todo/get', { accountId: other, ids: [] });
    expect(gone).toMatchObject({ type: 'accountNotFound' });
    expect((await client.session())['state']).toBe(state);
  });

  it('that revokes a token ends it', async () => {
    const token = await run('token', 'create', '--user', 'alice');
    const other = new Client(server().url, token);
    expect(Object.keys((await other.session())['accounts'] ?? {})).toEqual([account]);
    await run('token', 'revoke', token);
    expect((await other.http('/.well-known/jmap')).status).toBe(401);
    expect(server().stdout() + server().stderr()).not.toContain(token.slice(-43));
  });

  it('that resets states makes every older one unanswerable and loses no object', async () => {
    const created = await client.set('Todo', { accountId: account, create: { k: { text: 'T' } } });
    await client.set('Todo', { accountId: account, create: { k: { text: 'U' } } });
    const before = await client.get('Todo', { accountId: account, ids: null });
    const note = await client.get('Note', { accountId: account, ids: null });
    expect(note.state).toBe('0');
    await run('account', 'reset-states');

    const after = await client.get('Todo', { accountId: account, ids: null });
    expect(after.list).toEqual(before.list);
    expect(Number(after.state)).toBeGreaterThan(Number(before.state) + 999_999_999);
    for (const sinceState of [created.oldState, created.newState, before.state]) {
      const [, refused] = await client.call('Todo/changes', { accountId: account, sinceState });
      expect(refused, sinceState).toMatchObject({ type: 'cannotCalculateChanges' });
    }
    const [, refused] = await client.call('Note/changes', { accountId: account, sinceState: '0' });
    expect(refused).toMatchObject({ type: 'cannotCalculateChanges' });
    const ifInState = { accountId: account, ifInState: before.state, create: { k: { text: 'V' } } };
    expect((await client.call('Todo/set', ifInState))[1]).toMatchObject({ type: 'stateMismatch' });

    const next = await client.set('Todo', { accountId: account, create: { k: { text: 'W' } } });
    expect(Number(next.newState)).toBe(Number(after.state) + 1);
    const { created: ids } = await client.changes('Todo', {
      accountId: account,
      sinceState: after.state,
    });
    expect(ids).toEqual([next.created?.['k']?.['id']]);
  });

  it('that deletes an account takes its data and files, while others go on writing', async () => {
    const doomed = await run('account', 'create', '--name', 'Doomed', '--user', 'alice');
    const create = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`k${index}`, { text: `T${index}` }]),
    );
    await client.set('Todo', { accountId: doomed, create });
    await client.upload(doomed, 'octets', 'text/plain');
    const files = join(server().dataDir, 'blobs', doomed);
    expect(existsSync(files)).toBe(true);

    const deletion = run('account', 'delete', doomed, '--yes');
    let running = true;
    const ended = deletion.finally(() => {
      running = false;
    });
    while (running) {
      const set = await client.set('Todo', { accountId: account, create: { k: { text: 'T' } } });
      expect(set.created).toHaveProperty('k');
    }
    await ended;
    expect(existsSync(files)).toBe(false);
    expect(Object.keys(await accounts())).toEqual([account]);
    const [, gone] = await client.call('Todo/get', { accountId: doomed, ids: null });
    expect(gone).toMatchObject({ type: 'accountNotFound' });
  });
});
