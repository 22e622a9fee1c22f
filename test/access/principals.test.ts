import { expect, it } from 'vitest';
import { eventually } from '../support/poll.js';
import type { Desk } from './desk.js';
import { OWNER, PRINCIPALS, useLists } from './principals-rig.js';

/** Principals (RFC 9670 1.5 and 2), asked over HTTP. */

const serve = useLists();
const READ = { mayRead: true };
const NOTHING = { created: [], updated: [], destroyed: [] };

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

async function principals(desk: Desk): Promise<Json> {
  const { list } = await desk.call('Principal/get');
  return Object.fromEntries(list.map((one: Json) => [one.name, one]));
}

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users find those with whom they have an account in common',
  async (database) => {
    const { accountId, users, idOf, desk, directory } = await serve(database);
    const ada = await directory('ada');
    const session: Json = await ada.client.session();
    const id = session.primaryAccounts[PRINCIPALS];
    expect(session.capabilities[PRINCIPALS]).toEqual({});
    expect(session.capabilities).not.toHaveProperty(OWNER);
    expect(session.accounts[id]).toEqual({
      ...{ name: 'Principals', isPersonal: false, isReadOnly: false },
      accountCapabilities: { [PRINCIPALS]: { currentUserPrincipalId: idOf('ada') } },
    });
    expect(session.accounts[accountId].accountCapabilities[OWNER]).toEqual({
      ...{ accountIdForPrincipal: id, principalId: idOf('ada') },
    });
    expect(session.accounts[accountId].accountCapabilities).not.toHaveProperty(PRINCIPALS);

    const seen = await principals(ada);
    expect(Object.keys(seen).sort()).toEqual(['ada', 'cat', 'dan']);
    expect(seen.ada).toEqual({
      ...{ id: idOf('ada'), type: 'individual', name: 'ada', description: null, email: null },
      ...{ timeZone: null, capabilities: {} },
      accounts: { [accountId]: session.accounts[accountId] },
    });
    expect(seen.cat.accounts).toBeNull();

    // The others have nothing in common with anybody, not even with each other.
    const eve = await directory('eve@example.com');
    const alone = await principals(eve);
    expect(Object.keys(alone)).toEqual(['eve@example.com']);
    expect(alone['eve@example.com'].email).toBe('eve@example.com');
    expect(await eve.call('Principal/get', { ids: [idOf('ada')] })).toMatchObject({
      ...{ list: [], notFound: [idOf('ada')] },
    });

    // Cat's own account is hers alone, and Ada's is Ada's for her, too.
    const cat = await directory('cat');
    const catsSession: Json = await cat.client.session();
    const others = await principals(cat);
    expect(others.ada.accounts).toEqual({ [accountId]: catsSession.accounts[accountId] });
    expect(others.ada.accounts[accountId]).toMatchObject({ isPersonal: false, isReadOnly: false });
    expect(Object.keys(others.cat.accounts)).toEqual([users.cat.ownAccountId]);
    expect((await desk('ada').call('Principal/get')).error).toBe('unknownMethod');
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a user is told who comes into view and who leaves it',
  async (database) => {
    const { accountId, idOf, desk, directory } = await serve(database);
    const [ada, bob] = [await directory('ada'), await directory('bob')];
    const [list, owner] = [idOf('bob'), idOf('ada')];
    // Only who may see a user shares with it: Dan is a member of the account, and Bob is not.
    const shared = await desk('ada').create('TodoList', { name: 'Shopping' });
    const share = (shareWith: object | null) =>
      desk('ada').update('TodoList', shared, { shareWith });
    expect(await share({ [idOf('dan')]: READ })).toBeNull();
    expect(await share({ [idOf('bob')]: READ })).toMatchObject({ type: 'invalidProperties' });
    // Bob shares an object of his own account with Ada once she sees him: by the operator's grant.
    expect(await ada.sees('Principal')).toEqual([owner, idOf('cat'), idOf('dan')].sort());
    expect(await bob.sees('Principal')).toEqual([list]);
    expect(accountId).not.toBe('');
  },
  120_000,
);

it('PRINCIPALS=all shows all users, and shares with them come and go', async () => {
  const { accountId, idOf, desk, directory } = await serve('SQLite', 'all');
  const [ada, bob] = [await directory('ada'), await directory('bob')];
  expect((await ada.sees('Principal')).length).toBe(5);
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const share = (shareWith: object | null) => desk('ada').update('TodoList', list, { shareWith });
  // The accounts of a principal change for the one who reaches them.
  const given = await bob.changes('Principal', () => share({ [idOf('bob')]: READ }));
  expect(given).toEqual({ ...NOTHING, updated: [idOf('ada')] });
  await eventually(async () => {
    const { accounts } = (await principals(bob)).ada;
    expect(Object.keys(accounts ?? {})).toEqual([accountId]);
  });
  expect(await ada.changes('Principal', () => share(null))).toEqual(NOTHING);
});

it('PRINCIPALS=off serves none, and users share with any other', async () => {
  const { idOf, desk, users } = await serve('SQLite', 'off');
  const session: Json = await users.ada.client.session();
  expect(JSON.stringify(session)).not.toContain('principals');
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const shareWith = { [idOf('bob')]: READ };
  expect(await desk('ada').update('TodoList', list, { shareWith })).toBeNull();
});
