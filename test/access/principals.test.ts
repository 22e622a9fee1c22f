import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXPLAIN } from '../support/client.js';
import { eventually } from '../support/poll.js';
import type { Desk } from './desk.js';
import { OWNER, PRINCIPALS, useLists } from './principals-rig.js';
import { startPeople, useProject } from './rules-rig.js';

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
    const { idOf, desk, directory, people } = await serve(database);
    const [ada, bob] = [await directory('ada'), await directory('bob')];
    const [adaId, bobId, ...members] = [idOf('ada'), idOf('bob'), idOf('cat'), idOf('dan')];
    const team = [adaId, ...members].sort();
    const list = await desk('ada').create('TodoList', { name: 'Shopping' });
    const share = (shareWith: object | null) => desk('ada').update('TodoList', list, { shareWith });

    // Nobody shares with a user out of view: it is as one who isn't there.
    const refused = await share({ [bobId]: READ });
    const unknown = `${bobId.slice(0, -1)}${bobId.endsWith('0') ? '1' : '0'}`;
    expect(refused).toMatchObject({ type: 'invalidProperties', properties: ['shareWith'] });
    expect(JSON.stringify(refused).replaceAll(bobId, unknown)).toBe(
      JSON.stringify(await share({ [unknown]: READ })),
    );
    expect(await share({ [idOf('dan')]: READ })).toBeNull();

    // The operator gives Bob the account: he comes into view of all who have it, and they of his.
    let told: object = {};
    const came = await ada.changes('Principal', async () => {
      told = await bob.changes('Principal', () => people.give('bob', 'read'));
    });
    expect(came).toEqual({ ...NOTHING, created: [bobId] });
    expect(told).toEqual({ ...NOTHING, created: team });

    // The share keeps him in view when the grant goes.
    expect(await share({ [bobId]: READ })).toBeNull();
    const kept = await ada.changes('Principal', () => people.give('bob', null));
    expect(kept).toEqual(NOTHING);
    expect(await desk('bob').sees('TodoList')).toEqual([list]);
    expect(await bob.sees('Principal')).toEqual([...team, bobId].sort());

    // A user who comes back between two states is an update, and so it is for a query.
    const byName = { sort: [{ property: 'name' }] };
    const { state, list: seen } = await ada.call('Principal/get');
    const { queryState, ids } = await ada.call('Principal/query', byName);
    expect(await share(null)).toBeNull();
    expect(await ada.sees('Principal')).toEqual(team);
    expect((await bob.call('Principal/get', { ids: [adaId] })).notFound).toEqual([adaId]);
    await people.give('bob', 'write');
    expect((await ada.call('Principal/get')).list).toEqual(seen);
    expect(await ada.call('Principal/changes', { sinceState: state })).toMatchObject({
      ...{ ...NOTHING, updated: [bobId], updatedProperties: null },
    });
    expect(
      await ada.call('Principal/queryChanges', { sinceQueryState: queryState, ...byName }),
    ).toMatchObject({ removed: [bobId], added: [{ id: bobId, index: ids.indexOf(bobId) }] });

    // Nobody is told of a user who comes and goes between two looks.
    await people.give('bob', null);
    const between = await ada.changes('Principal', async () => {
      await people.give('bob', 'read');
      await people.give('bob', null);
    });
    expect(between).toEqual({ ...NOTHING });
    // Eve was never in view.
    const all = await ada.call('Principal/changes', { sinceState: '0' });
    expect(JSON.stringify(all)).not.toContain(idOf('eve@example.com'));
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s principals are found, and not changed',
  async (name) => {
    const { accountId, users, idOf, directory, people } = await serve(name, 'all');
    const ada = await directory('ada');
    const find = async (filter: object) => {
      const { ids } = await ada.call('Principal/query', { filter, sort: [{ property: 'name' }] });
      return ids;
    };
    const [adaId, catId, eveId] = [idOf('ada'), idOf('cat'), idOf('eve@example.com')];
    expect(await find({ name: 'A' })).toEqual([adaId, catId, idOf('dan'), eveId]);
    expect(await find({ text: 'EXAMPLE' })).toEqual([eveId]);
    expect(await find({ email: '@example' })).toEqual([eveId]);
    expect(await find({ type: 'individual' })).toHaveLength(5);
    expect(await find({ type: 'group' })).toEqual([]);
    expect(await find({ timeZone: 'Europe/Vienna' })).toEqual([]);
    expect(await find({ accountIds: [accountId, 'other'] })).toEqual([adaId]);
    expect(await find({ accountIds: [users.cat.ownAccountId] })).toEqual([]);

    const { notCreated, notUpdated, notDestroyed, ...states } = await ada.call('Principal/set', {
      create: { k: { name: 'Board room', type: 'location' } },
      update: { [adaId]: { name: 'cat' }, [catId]: { name: 'ada' }, nobody: {} },
      destroy: [catId, 'nobody'],
    });
    const forbidden = { type: 'forbidden' };
    expect(notCreated).toMatchObject({ k: forbidden });
    expect(notUpdated).toMatchObject({ [adaId]: forbidden, [catId]: forbidden, nobody: forbidden });
    expect(notDestroyed).toMatchObject({ [catId]: forbidden, nobody: forbidden });
    expect(states.newState).toBe(states.oldState);

    // A token for some accounts alone has no principals, and doesn't know whose they are.
    const one = { accounts: [{ accountId, readOnly: false }] };
    const narrowed = await (await people.narrowed('ada', one)).session();
    expect(JSON.stringify(narrowed)).not.toContain('principals');
    const reading: Json = await (await people.narrowed('ada', { readOnly: true })).session();
    expect(reading.accounts[`p-${adaId}`].isReadOnly).toBe(true);
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

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a user reaches what is shared as soon as the share is answered',
  async (database) => {
    const { idOf, desk } = await serve(database, 'all');
    const list = await desk('ada').create('TodoList', { name: 'Shopping' });
    const share = (shareWith: object | null) => desk('ada').update('TodoList', list, { shareWith });
    for (let round = 0; round < 5; round += 1) {
      expect(await share({ [idOf('bob')]: READ })).toBeNull();
      expect((await desk('bob').call('TodoList/get')).list).toHaveLength(1);
      expect(await share(null)).toBeNull();
      expect((await desk('bob').call('TodoList/get')).error).toBe('accountNotFound');
    }
  },
  120_000,
);

it('a second server shows the accounts that belong to the state which it tells', async () => {
  const { accountId, idOf, desk, directory, beside } = await serve('PostgreSQL', 'all');
  const bob = await directory('bob');
  const elsewhere = await beside('bob');
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const share = (shareWith: object | null) => desk('ada').update('TodoList', list, { shareWith });
  for (let round = 0; round < 5; round += 1) {
    for (const shareWith of [{ [idOf('bob')]: READ }, null]) {
      await elsewhere.call('Principal/get', { ids: [] });
      expect(await share(shareWith)).toBeNull();
      const shown = (await principals(elsewhere)).ada.accounts;
      expect(Object.keys(shown ?? {})).toEqual(shareWith === null ? [] : [accountId]);
    }
  }
  // Both know one account: no state is told twice.
  expect((await bob.call('Principal/get')).state).toBe(
    (await elsewhere.call('Principal/get')).state,
  );
}, 120_000);

it('the name of a user of a provider is no address', async () => {
  const { idOf, directory, people } = await serve('SQLite', 'all');
  const ada = await directory('ada');
  expect((await principals(ada))['eve@example.com'].email).toBe('eve@example.com');
  const identity = { issuer: 'https://id.example.com', subject: 'eve', created: 0n };
  const userId = idOf('eve@example.com');
  await people.prisma.jmapIdentity.create({ data: { ...identity, userId } });
  const eves = (await principals(await directory('eve@example.com')))['eve@example.com'];
  expect(eves).toMatchObject({ id: userId, email: null });
});

it('PRINCIPALS=off serves none, and users share with any other', async () => {
  const { idOf, desk, users } = await serve('SQLite', 'off');
  const session: Json = await users.ada.client.session();
  expect(JSON.stringify(session)).not.toContain('principals');
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const shareWith = { [idOf('bob')]: READ };
  expect(await desk('ada').update('TodoList', list, { shareWith })).toBeNull();
});

const plainRoot = useProject('notebooks.yaml');

it('a project without shared types is as it was, whatever PRINCIPALS says', async () => {
  expect(existsSync(join(plainRoot(), 'generated/jmapsmith-principals'))).toBe(false);
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-plain-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const texts: string[] = [];
  for (const principals of ['off', 'shared', 'all'] as const) {
    const people = await startPeople(plainRoot(), { url: null, dataDir, principals }, { ada: {} });
    try {
      const { client } = people.users.ada;
      const { text } = await client.http('/.well-known/jmap');
      const asking = client.with([...client.using, EXPLAIN]);
      const { accountId } = people;
      const answer = await asking.api(
        [
          ['Notebook/get', { accountId, ids: [] }, 'a'],
          ['Notebook/set', { accountId, create: { k: {} } }, 'b'],
          ['Notebook/changes', { accountId, sinceState: '0' }, 'c'],
        ],
        { explain: true },
      );
      const statements = JSON.stringify(answer).match(/"sql":"(?:[^"\\]|\\.)*"/g) ?? [];
      expect(statements.length).toBeGreaterThan(3);
      texts.push([text.replaceAll(new URL(client.url).host, ''), ...statements].join('\n'));
    } finally {
      await people.close();
    }
  }
  const [off, ...others] = texts;
  // The state covers the URLs, which have another port.
  const withoutState = (text = '') => text.replace(/"state":"[^"]*"/, '');
  for (const other of others) expect(withoutState(other)).toBe(withoutState(off));
}, 120_000);
