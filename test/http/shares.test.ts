import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scopedTablesIn, sharedTypesIn } from '../../src/access/shared-types.js';
import {
  addMember,
  createAccount,
  createAuthenticator,
  createGroup,
  createToken,
  deleteAccount,
} from '../../src/accounts/index.js';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { Sessions } from '../../src/protocol/session.js';
import { type Json, Rig } from '../methods/rig.js';
import { sharedFolders } from '../methods/shared-folders.js';
import { USING } from '../methods/viewers-tree.js';
import { eventually } from '../support/poll.js';
import { PATH, Stream } from './event-stream.js';
import { type Harness, http, post, startHarness } from './harness.js';

// A user reaches the account of another by shares of its objects (RFC 9670 4).

const ids = createIdGenerator();
const READ = { mayRead: true };

let rig: Rig;
let harness: Harness;
/** The accounts and the tokens of two users. */
let made: Record<'ann' | 'bob', { readonly account: string; readonly token: string }>;
let bobId: string;

async function open(): Promise<void> {
  rig = new Rig({}, { more: sharedFolders() });
  const { services } = rig;
  const { registry, store } = services;
  const prisma = rig.engine();
  const own = async (user: string) => ({
    account: await createAccount(prisma, ids, { name: `of ${user}`, user }),
    token: await createToken(prisma, ids, { user }),
  });
  made = { ann: await own('ann'), bob: await own('bob') };
  bobId = (await prisma.jmapUser.findUniqueOrThrow({ where: { name: 'bob' } })).id;
  harness = await startHarness({
    parts: {
      ...{ registry, store },
      authenticator: createAuthenticator(prisma, {
        sharedTypes: sharedTypesIn(registry.dataTypes, registry.relations.viewRules.sharedTables),
      }),
      sessions: new Sessions({
        capabilities: registry.capabilities.values(),
        runtime: new Map(),
        baseUrl: null,
      }),
    },
  });
  const limits = { maxSizeResponse: 1_000_000, requestTimeout: 30_000 };
  const dispatcher = new Dispatcher(services, limits as never, (error) => {
    throw error;
  });
  harness.handle = (envelope, principal, source) => dispatcher.handle(envelope, principal, source);
}

beforeEach(open);
afterEach(async () => {
  await harness.close(0);
  await rig.close();
});

const by = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function session(token = made.bob.token): Promise<Json> {
  return (await http(harness, '/.well-known/jmap', by(token))).json();
}

async function call(name: string, args: object, token = made.ann.token): Promise<Json> {
  const accountId = made.ann.account;
  const body = { using: USING, methodCalls: [[name, { accountId, ...args }, 'c']] };
  const response: Json = await (await post(harness, JSON.stringify(body), token)).json();
  const [[answered, answer]] = response.methodResponses;
  return { ...answer, answered, sessionState: response.sessionState };
}

async function createFolder(object: object): Promise<string> {
  const { created } = await call('Folder/set', { create: { k: object } });
  return created.k.id;
}

const share = (id: string, shareWith: object | null): Promise<Json> =>
  call('Folder/set', { update: { [id]: { shareWith } } });

describe('the session of a user', () => {
  it('has an account from the first share to the last one', async () => {
    const [first, second] = [await createFolder({}), await createFolder({})];
    const before = await session();
    expect(Object.keys(before.accounts)).toEqual([made.bob.account]);
    await share(first, { [bobId]: READ });
    const shared = await session();
    expect(shared.accounts[made.ann.account]).toEqual({
      ...{ name: 'of ann', isPersonal: false, isReadOnly: false },
      accountCapabilities: { [USING[1] ?? '']: {} },
    });
    expect(shared.state).not.toBe(before.state);
    const { list, sessionState } = await call('Folder/get', {}, made.bob.token);
    expect(list.map((one: Json) => one.id)).toEqual([first]);
    expect(sessionState).toBe(shared.state);
    await share(second, { [bobId]: READ });
    await share(first, null);
    expect((await session()).state).toBe(shared.state);
    await call('Folder/set', { destroy: [second] });
    expect((await session()).state).toBe(before.state);
    expect(await call('Folder/get', {}, made.bob.token)).toMatchObject({
      ...{ answered: 'error', type: 'accountNotFound' },
    });
  });

  it('loses the account at once where its owner deletes it', async () => {
    await createFolder({ shareWith: { [bobId]: READ } });
    expect(Object.keys((await session()).accounts)).toContain(made.ann.account);
    await deleteAccount(rig.engine(), {
      ...{ id: made.ann.account, tables: ['Folder'], database: 'sqlite' },
      deleteBlobs: async () => {
        expect(Object.keys((await session()).accounts)).toEqual([made.bob.account]);
      },
    });
    expect(rig.rows('SELECT * FROM "JmapGrant" UNION ALL SELECT 1, 2, 3 FROM "JmapScope"')).toEqual(
      [],
    );
  });

  it('is narrowed by the token', async () => {
    await createFolder({ shareWith: { [bobId]: { mayRead: true, mayWrite: true } } });
    const prisma = rig.engine();
    const [user, accounts] = ['bob', [{ accountId: made.bob.account, readOnly: false }]];
    const narrow = await createToken(prisma, ids, { user, accounts } as never);
    expect(Object.keys((await session(narrow)).accounts)).toEqual([made.bob.account]);
    const readOnly = await createToken(prisma, ids, { user, readOnly: true });
    expect((await session(readOnly)).accounts[made.ann.account].isReadOnly).toBe(true);
    const [{ id }] = (await call('Folder/get', {}, readOnly)).list;
    const rename = { update: { [id]: { name: 'b' } } };
    expect((await call('Folder/set', rename, readOnly)).type).toBe('accountReadOnly');
    expect((await call('Folder/set', rename, made.bob.token)).updated).toHaveProperty(id);
  });
});

describe('an event source', () => {
  it('tells of an account while objects of it are shared with the user', async () => {
    const id = await createFolder({});
    const stream = await Stream.open(harness, PATH, by(made.bob.token).headers);
    const countOf = (account: string) =>
      stream.events.filter(({ data }) => JSON.stringify(data).includes(account)).length;
    const countOfShared = () => countOf(made.ann.account);
    await share(id, { [bobId]: READ });
    await eventually(() => expect(countOfShared()).toBeGreaterThan(0));
    const count = countOfShared();
    await call('Folder/set', { update: { [id]: { name: 'b' } } });
    await eventually(() => expect(countOfShared()).toBeGreaterThan(count));
    await share(id, null);
    await eventually(async () => {
      const [before, own] = [countOfShared(), countOf(made.bob.account)];
      await call('Folder/set', { update: { [id]: { name: `c${own}` } } });
      const args = { accountId: made.bob.account, create: { k: {} } };
      await call('Folder/set', args, made.bob.token);
      await eventually(() => expect(countOf(made.bob.account)).toBeGreaterThan(own));
      expect(countOfShared()).toBe(before);
    });
    stream.close();
  });

  it('tells a user who joins a group of what the group sees', async () => {
    const prisma = rig.engine();
    const { dataTypes, relations } = rig.services.registry;
    const tables = scopedTablesIn(dataTypes, relations.viewRules.sharedTables);
    const group = await createGroup(prisma, ids, 'team');
    await createFolder({ shareWith: { [bobId]: READ } });
    await createFolder({ shareWith: { [group]: READ } });
    const { state } = await call('Folder/get', {}, made.bob.token);
    const stream = await Stream.open(harness, PATH, by(made.bob.token).headers);
    await addMember(prisma, tables, { group: 'team', user: 'bob' });
    const joined = await call('Folder/get', {}, made.bob.token);
    expect(joined.list).toHaveLength(2);
    expect(joined.state).not.toBe(state);
    await eventually(() => expect(JSON.stringify(stream.events)).toContain(joined.state));
    stream.close();
  });
});
