import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, CORE, ONCE, TODOS } from '../../support/client.js';
import { EventStream } from '../../support/event-source.js';
import { makeToken } from '../../support/fixtures.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import type { RunningServer } from '../../support/server.js';
import { useServer } from '../../support/server.js';

const ADMIN = 'urn:jmapsmith:admin';
const DIRECTORY = 'directory';
const TYPES = ['AdminUser', 'AdminAccount', 'AdminGrant', 'AdminToken'] as const;
type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const postgresql = usePostgresql();

describe('SQLite', () => adminSuite(useServer({ env: { ADMIN: 'on' } })));
describe('PostgreSQL', () =>
  adminSuite(
    useServer(async () => ({
      env: { ADMIN: 'on', DATABASE_URL: await postgresql().createDatabase('admin') },
    })),
  ));

describe('a server without ADMIN', () => {
  const server = useServer();

  it('shows nothing of the administration, also to an administrator', async () => {
    await server().tool('scripts/account', ['create', '--name', 'A', '--user', 'root']);
    const client = new Client(server().url, await makeToken(server(), ['--user', 'root']));
    const { text: before } = await client.http('/.well-known/jmap');
    await server().tool('scripts/user', ['roles', 'root', 'admin']);
    expect((await client.http('/.well-known/jmap')).text).toBe(before);
    expect(before).not.toContain('admin');
    const body = JSON.stringify({ using: [CORE, ADMIN], methodCalls: [] });
    expect((await client.post(body)).json).toMatchObject({
      type: 'urn:ietf:params:jmap:error:unknownCapability',
    });
  });
});

function adminSuite(server: () => RunningServer): void {
  let admin: Client;
  let user: Client;
  let rootId: string;
  let aliceId: string;
  let account: string;
  const open: EventStream[] = [];

  beforeAll(async () => {
    const tool = (name: string, ...args: string[]) => server().tool(`scripts/${name}`, args);
    await tool('account', 'create', '--name', 'Root', '--user', 'root');
    account = await tool('account', 'create', '--name', 'A', '--user', 'alice');
    await tool('user', 'roles', 'root', 'admin');
    const using = [CORE, TODOS, ADMIN, ONCE];
    admin = new Client(server().url, await makeToken(server(), ['--user', 'root']), using);
    user = new Client(server().url, await makeToken(server(), ['--user', 'alice']), [CORE, TODOS]);
    const users = await list('AdminUser');
    rootId = users.find(({ name }) => name === 'root')?.id ?? '';
    aliceId = users.find(({ name }) => name === 'alice')?.id ?? '';
  });

  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function list(type: string, ids: readonly string[] | null = null): Promise<readonly Row[]> {
    const { list: found } = await admin.get(type, { accountId: DIRECTORY, ids });
    return found as unknown as readonly Row[];
  }

  async function one(type: string, id: string): Promise<Row | undefined> {
    return (await list(type, [id]))[0];
  }

  /** On PostgreSQL a change of access counts a quarter of a second later. */
  const soon = (look: () => Promise<void>) => eventually(look, 1000);
  const statusOf = async (client: Client) => (await client.http('/.well-known/jmap')).status;

  const set = (type: string, args: object) => admin.set(type, { accountId: DIRECTORY, ...args });

  async function create(type: string, object: object): Promise<Row> {
    const { created, notCreated } = await set(type, { create: { k: object } });
    expect(notCreated).toBeNull();
    return created?.['k'] as unknown as Row;
  }

  it('is in the session of administrators alone, by tokens that nothing narrows', async () => {
    const session = await admin.session();
    expect(session['accounts']).toMatchObject({
      [DIRECTORY]: {
        ...{ name: 'Directory', isPersonal: false, isReadOnly: false },
        accountCapabilities: { [ADMIN]: {} },
      },
    });
    expect(session['capabilities']).toHaveProperty([ADMIN]);
    expect(session['primaryAccounts']).toMatchObject({ [ADMIN]: DIRECTORY });
    const accounts = Object.entries(session['accounts'] as Record<string, Record<string, object>>);
    for (const [id, { accountCapabilities }] of accounts)
      expect(Object.hasOwn(accountCapabilities ?? {}, ADMIN)).toBe(id === DIRECTORY);
    const own = accounts.map(([id]) => id).find((id) => id !== DIRECTORY) ?? '';
    const narrow = await makeToken(server(), ['--user', 'root', '--account', own]);
    for (const client of [user, new Client(server().url, narrow)]) {
      const { text } = await client.http('/.well-known/jmap');
      expect(text).not.toContain(ADMIN);
      expect(text).not.toContain(DIRECTORY);
      const body = JSON.stringify({ using: [CORE, ADMIN], methodCalls: [] });
      expect((await client.post(body)).json).toMatchObject({
        type: 'urn:ietf:params:jmap:error:unknownCapability',
      });
    }
    const reading = await makeToken(server(), ['--user', 'root', '--read-only']);
    const reader = new Client(server().url, reading, [CORE, ADMIN]);
    expect((await reader.get('AdminUser', { accountId: DIRECTORY, ids: [] })).list).toEqual([]);
    const [, refused] = await reader.call('AdminUser/set', { accountId: DIRECTORY });
    expect(refused).toMatchObject({ type: 'accountReadOnly' });
    const [, elsewhere] = await admin.call('AdminUser/get', { accountId: own, ids: null });
    expect(elsewhere).toMatchObject({ type: 'accountNotSupportedByMethod' });
  });

  it('creates a user, an account, a grant and a token that refer to each other', async () => {
    const at = { accountId: DIRECTORY };
    const { methodResponses } = await admin.api([
      ['AdminUser/set', { ...at, create: { u: { name: 'carol', roles: ['b', 'a'] } } }, '0'],
      ['AdminAccount/set', { ...at, create: { a: { name: 'C', owner: '#u' } } }, '1'],
      ['AdminGrant/set', { ...at, create: { g: { account: '#a', user: aliceId } } }, '2'],
      ['AdminToken/set', { ...at, create: { t: { user: '#u', readOnly: true } } }, '3'],
      ['AdminToken/set', { ...at, create: { n: { user: '#u', accounts: { '#a': 'read' } } } }, '4'],
    ]);
    const [carol, owned, grant, token, narrow] = methodResponses.map(
      ([, args]) => Object.values((args as { created: Record<string, Row> }).created)[0],
    ) as [Row, Row, Row, Row, Row];
    expect(narrow).toMatchObject({ accounts: { [owned.id]: 'read' } });
    expect(await one('AdminToken', narrow.id)).toMatchObject({ accounts: { [owned.id]: 'read' } });
    expect(await one('AdminUser', carol.id)).toEqual({
      ...{ id: carol.id, name: 'carol', disabled: false, signedOut: null, roles: ['a', 'b'] },
      ...{ identities: [], created: carol['created'] },
    });
    expect(await one('AdminAccount', owned.id)).toMatchObject({
      ...{ name: 'C', owner: carol.id, capabilities: null },
    });
    expect(await one('AdminGrant', grant.id)).toEqual({
      ...{ id: grant.id, account: owned.id, user: aliceId, readOnly: false },
    });
    expect(grant).toMatchObject({ readOnly: false });
    await soon(async () => expect((await user.session())['accounts']).toHaveProperty(owned.id));
    const secret = String(token['token']);
    const stored = await one('AdminToken', token.id);
    expect(stored).toMatchObject({ user: carol.id, readOnly: true, accounts: null, expires: null });
    expect(JSON.stringify(stored)).not.toContain(secret.slice(-43));
    const reader = new Client(server().url, secret, [CORE, TODOS]);
    expect(Object.keys((await reader.session())['accounts'] ?? {})).toEqual([owned.id]);

    await set('AdminGrant', { update: { [grant.id]: { readOnly: true } } });
    expect(await one('AdminGrant', grant.id)).toMatchObject({ readOnly: true });
    await set('AdminAccount', { update: { [owned.id]: { name: 'D' } } });
    expect(await one('AdminAccount', owned.id)).toMatchObject({ name: 'D' });
    await set('AdminToken', { destroy: [token.id] });
    await soon(async () => expect(await statusOf(reader)).toBe(401));
    const gone = await set('AdminAccount', { destroy: [owned.id] });
    expect(gone.destroyed).toEqual([owned.id]);
    expect(await one('AdminAccount', owned.id)).toBeUndefined();
    expect(await one('AdminGrant', grant.id)).toBeUndefined();
    await soon(async () => expect((await user.session())['accounts']).not.toHaveProperty(owned.id));
  });

  it('narrows a token as it is asked to, and writes that into the audit', async () => {
    const [capabilities, expires] = [{ [CORE]: 'full', [TODOS]: 'read' }, '9999-12-31T23:59:59Z'];
    const types = { Todo: 'full' };
    const narrow = { user: aliceId, capabilities, types, expires };
    const { id } = await create('AdminToken', narrow);
    expect(await one('AdminToken', id)).toMatchObject({ capabilities, types, expires });
    const last = (await server().tool('scripts/user', ['audit'])).split('\n').at(-1) ?? '';
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ capabilities, types });
  });

  it('disables, enables and signs out a user, whose tokens follow', async () => {
    const off = await set('AdminUser', { update: { [aliceId]: { disabled: true } } });
    expect(off.updated).toEqual({ [aliceId]: null });
    await soon(async () => expect(await statusOf(user)).toBe(401));
    await set('AdminUser', { update: { [aliceId]: { disabled: false, roles: ['x'] } } });
    await soon(async () => expect(await statusOf(user)).toBe(200));
    const signedOut = '2026-01-01T00:00:00Z';
    const { updated } = await set('AdminUser', { update: { [aliceId]: { signedOut } } });
    const { signedOut: reported = '' } = (updated?.[aliceId] ?? {}) as { signedOut?: string };
    expect(Math.abs(Date.parse(reported) - Date.now())).toBeLessThan(60_000);
    expect(reported).not.toBe(signedOut);
    expect(await one('AdminUser', aliceId)).toMatchObject({ signedOut: reported, roles: ['x'] });
  });

  it('refuses each object by itself, with a reason', async () => {
    const bad = await set('AdminUser', {
      create: {
        taken: { name: 'alice' },
        illegal: { name: ' x' },
        empty: {},
        more: { name: 'm', identities: [] },
        good: { name: 'dave' },
      },
      update: {
        [rootId]: { disabled: true },
        none: { disabled: true },
        [aliceId]: { name: 'bob' },
      },
      destroy: [aliceId],
    });
    expect(bad.notCreated).toMatchObject({
      taken: { type: 'alreadyExists', existingId: aliceId },
      illegal: { type: 'invalidProperties', properties: ['name'] },
      empty: { type: 'invalidProperties', properties: ['name'] },
      more: { type: 'invalidProperties', properties: ['identities'] },
    });
    expect(Object.keys(bad.created ?? {})).toEqual(['good']);
    expect(bad.notUpdated).toMatchObject({
      [rootId]: { type: 'forbidden' },
      none: { type: 'notFound' },
      [aliceId]: { type: 'willDestroy' },
    });
    expect(bad.notDestroyed).toMatchObject({ [aliceId]: { type: 'forbidden' } });
    const own = await set('AdminUser', { update: { [rootId]: { roles: [] } } });
    expect(own.notUpdated).toMatchObject({ [rootId]: { type: 'forbidden' } });
    const tokens = await set('AdminToken', {
      create: {
        nobody: { user: 'none' },
        past: { user: aliceId, expires: '2020-01-01T00:00:00Z' },
        wide: { user: rootId, accounts: { [account]: 'full' } },
        unknown: { user: aliceId, types: { Nothing: 'read' } },
        noId: { user: aliceId, accounts: { 'a\0': 'read' } },
        noUser: { user: 'u\0' },
        noAccounts: { user: aliceId, accounts: {} },
        noCapabilities: { user: aliceId, capabilities: {} },
        noTypes: { user: aliceId, types: {} },
      },
      destroy: ['t\0'],
    });
    expect(tokens.created).toBeNull();
    expect(tokens.notDestroyed).toMatchObject({ 't\0': { type: 'notFound' } });
    expect(tokens.notCreated).toMatchObject({
      nobody: { properties: ['user'] },
      past: { properties: ['expires'] },
      wide: { properties: ['accounts'] },
      unknown: { properties: ['types'] },
      noId: { properties: ['accounts'] },
      noUser: { properties: ['user'] },
      noAccounts: { properties: ['accounts'] },
      noCapabilities: { properties: ['capabilities'] },
      noTypes: { properties: ['types'] },
    });
    const accounts = await set('AdminAccount', {
      create: { own: { name: 'O', owner: aliceId, capabilities: [ADMIN] } },
    });
    expect(accounts.notCreated).toMatchObject({ own: { properties: ['capabilities'] } });
    const command = ['create', '--name', 'O', '--capability', ADMIN];
    await expect(server().tool('scripts/account', command)).rejects.toThrow('of the server alone');
    const grants = await set('AdminGrant', {
      create: { noId: { account: 'a\0', user: aliceId } },
      update: { 'a\0-u': { readOnly: true } },
    });
    expect(grants.notCreated).toMatchObject({ noId: { properties: ['account'] } });
    expect(grants.notUpdated).toMatchObject({ 'a\0-u': { type: 'notFound' } });
    const { notFound } = await admin.get('AdminUser', { accountId: DIRECTORY, ids: ['u\0'] });
    expect(notFound).toEqual(['u\0']);
  });

  it('tells of all that commands and others do by /changes, and keeps ifInState', async () => {
    const states = await Promise.all(
      TYPES.map((type) => admin.get(type, { accountId: DIRECTORY, ids: null })),
    );
    const sets = states.map(({ list: found }) => new Set(found.map(({ id }) => String(id))));
    const tool = (name: string, ...args: string[]) => server().tool(`scripts/${name}`, args);
    const made = await tool('account', 'create', '--name', 'E', '--user', 'erin');
    await tool('account', 'grant', made, '--user', 'alice');
    await tool('token', 'create', '--user', 'erin', '--account', made);
    await tool('user', 'disable', 'erin');
    await tool('account', 'delete', made, '--yes');
    for (const [at, type] of TYPES.entries()) {
      const sinceState = states[at]?.state ?? '';
      const ids = sets[at] ?? new Set();
      const told = await admin.changes(type, { accountId: DIRECTORY, sinceState });
      for (const id of told.created) ids.add(id);
      for (const id of told.destroyed) ids.delete(id);
      expect(ids, type).toEqual(new Set((await list(type)).map(({ id }) => id)));
      const [, late] = await admin.call(`${type}/set`, {
        ...{ accountId: DIRECTORY, ifInState: sinceState, create: {} },
      });
      const isSame = told.newState === sinceState;
      expect((late as { type?: string }).type).toBe(isSame ? undefined : 'stateMismatch');
    }
  });

  it('pushes a change of a command, and one of its own, within a second', async () => {
    const query = { types: 'AdminUser', closeafter: 'no', ping: '0' };
    const stream = await EventStream.open(admin, query);
    open.push(stream);
    await server().tool('scripts/user', ['roles', 'alice', 'pushed']);
    const { state } = await admin.get('AdminUser', { accountId: DIRECTORY, ids: [] });
    await stream.state(DIRECTORY, 'AdminUser', state);
    const { newState } = await set('AdminUser', { update: { [aliceId]: { roles: [] } } });
    await stream.state(DIRECTORY, 'AdminUser', newState);
  });

  it('writes who did it into the audit, and takes no key', async () => {
    await create('AdminUser', { name: 'frank' });
    const last = (await server().tool('scripts/user', ['audit'])).split('\n').at(-1);
    expect(last).toMatch(/ {2}root {2}user\/create {2}u\w+ {2}{"name":"frank"}$/);
    const keyed = { accountId: DIRECTORY, onceKey: 'k', create: {} };
    expect((await admin.call('AdminUser/set', keyed))[1]).toMatchObject({
      type: 'invalidArguments',
    });
  });
}
