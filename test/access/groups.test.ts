import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { directoryOf } from './principals-rig.js';
import { startPeople, useProject } from './rules-rig.js';

/** Groups of users, with whom the owner of an account shares, asked over HTTP. */

const root = useProject('lists.yaml');
const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' }, eve: { given: 'nothing' } } as const;
type Name = keyof typeof MEMBERS;

const NOTHING = { created: [], updated: [], destroyed: [] };
const NO_RIGHTS = { mayRead: false, mayWrite: false, mayAdmin: false };
const READ = { mayRead: true };
const WRITE = { mayRead: true, mayWrite: true };

const DATABASES = ['SQLite', 'PostgreSQL'];

/** Serves a fresh account, with a group of the name "team". `principals`: PRINCIPALS. */
async function open(database: string, principals: 'shared' | 'all' = 'all') {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('groups');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-groups-'));
  const people = await startPeople(root(), { url, dataDir, principals }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { accountId, users, groups } = people;
  const desk = (name: Name) => new Desk(users[name], accountId);
  const team = await groups.create('team');
  const reaches = async (name: Name): Promise<boolean> => {
    const { accounts = {} } = await users[name].client.session();
    return Object.keys(accounts as object).includes(accountId);
  };
  return {
    ...{ groups, team, desk, reaches, ada: desk('ada'), bob: desk('bob'), eve: desk('eve') },
    directory: (name: Name) => directoryOf(users[name]),
    /** Resolves once a user reaches the account, or no longer. */
    settled: (name: Name, isReached: boolean) =>
      eventually(async () => expect(await reaches(name)).toBe(isReached)),
  };
}

/** Has Ada share a list with the group. */
async function shareWithTeam({ team, ada }: Awaited<ReturnType<typeof open>>, rights: object) {
  const list = await ada.create('TodoList', { name: 'Shopping' });
  const todo = await ada.create('Todo', { text: 'Milk', listId: list });
  expect(await ada.update('TodoList', list, { shareWith: { [team]: rights } })).toBeNull();
  return { list, todo };
}

it.each(DATABASES)('shares with a group are those of its members, on %s', async (database) => {
  const world = await open(database);
  const { groups, bob, eve, reaches, settled } = world;
  await groups.add('team', 'bob');
  const { list, todo } = await shareWithTeam(world, WRITE);
  await settled('bob', true);
  expect(await reaches('eve')).toBe(false);
  expect([await bob.sees('TodoList'), await bob.sees('Todo')]).toEqual([[list], [todo]]);
  const { list: read } = await bob.call('TodoList/get', { ids: [list] });
  expect(read[0]).toMatchObject({
    ...{ myRights: { ...NO_RIGHTS, ...WRITE }, shareWith: null },
  });
  expect(await bob.update('TodoList', list, { name: 'Food' })).toBeNull();
  expect(await bob.destroy('TodoList', list)).toMatchObject({ type: 'forbidden' });
  expect(await eve.call('TodoList/get')).toMatchObject({ error: 'accountNotFound' });
});

it.each(DATABASES)('a user who joins hears what it sees, and one who leaves, on %s', async (at) => {
  const world = await open(at);
  const { groups, ada, bob, eve, settled } = world;
  const { list, todo } = await shareWithTeam(world, READ);
  const own = await ada.create('TodoList', { name: 'Own' });
  await ada.update('TodoList', own, { shareWith: { [bob.id]: READ, [eve.id]: READ } });
  await settled('bob', true);
  await settled('eve', true);
  const eves = () => eve.call('TodoList/get', { ids: [] });
  const { state } = await eves();
  const joined = await bob.changes('TodoList', () => groups.add('team', 'bob'));
  expect(joined).toEqual({ created: [list], updated: [], destroyed: [] });
  expect(await bob.sees('Todo')).toEqual([todo]);
  // A second time changes nothing.
  expect(await bob.changes('TodoList', () => groups.add('team', 'bob'))).toEqual(NOTHING);
  const left = await bob.changes('Todo', () => groups.remove('team', 'bob'));
  expect(left).toEqual({ created: [], updated: [], destroyed: [todo] });
  expect(await bob.sees('TodoList')).toEqual([own]);
  expect((await eves()).state).toBe(state);
  await expect(groups.remove('team', 'bob')).rejects.toThrow('is no member of group');
});

it.each(DATABASES)('properties may name a group, on %s', async (database) => {
  const world = await open(database);
  const { groups, team, ada, bob, settled } = world;
  const list = await ada.create('TodoList', { name: 'Own' });
  await ada.update('TodoList', list, { shareWith: { [bob.id]: READ } });
  await groups.add('team', 'bob');
  await settled('bob', true);
  const notice = await ada.create('Notice', { to: team });
  expect(await bob.sees('Notice')).toEqual([notice]);
  const left = await bob.changes('Notice', () => groups.remove('team', 'bob'));
  expect(left).toEqual({ created: [], updated: [], destroyed: [notice] });
});

it.each(DATABASES)('a deleted group takes what it gave along, on %s', async (database) => {
  const world = await open(database);
  const { groups, ada, bob, settled } = world;
  const { list } = await shareWithTeam(world, READ);
  await groups.add('team', 'bob');
  const own = await ada.create('TodoList', { name: 'Own' });
  await ada.update('TodoList', own, { shareWith: { [bob.id]: READ } });
  await settled('bob', true);
  const ended = await bob.changes('TodoList', () => groups.delete('team'));
  expect(ended).toEqual({ created: [], updated: [], destroyed: [list] });
  const { list: shared } = await ada.call('TodoList/get', { ids: [list] });
  expect(shared[0].shareWith).toBeNull();
  await ada.update('TodoList', own, { shareWith: null });
  await settled('bob', false);
  await expect(groups.add('team', 'bob')).rejects.toThrow('There is no group "team".');
});

it.each(DATABASES)('members see their groups and each other as principals, on %s', async (at) => {
  const { groups, team, ada, bob, eve, directory } = await open(at, 'shared');
  const own = await directory('bob');
  const seen = async () => (await own.sees('Principal')).toSorted();
  expect(await seen()).toEqual([bob.id]);
  await groups.add('team', 'bob');
  await eventually(async () => expect(await seen()).toEqual([team, bob.id].sort()));
  const { list } = await own.call('Principal/get', { ids: [team] });
  expect(list).toMatchObject([{ type: 'group', name: 'team', email: null, accounts: null }]);
  const filtered = await own.call('Principal/query', { filter: { type: 'group' } });
  expect(filtered.ids).toEqual([team]);
  await groups.add('team', 'ada');
  await eventually(async () => expect(await seen()).toEqual([team, ada.id, bob.id].sort()));
  expect(await (await directory('eve')).sees('Principal')).toEqual([eve.id]);
});

it.each(DATABASES)('each member is notified of a share with its group, on %s', async (at) => {
  const world = await open(at);
  const { groups, ada, bob, directory, settled } = world;
  await groups.add('team', 'bob');
  const { list } = await shareWithTeam(world, READ);
  await settled('bob', true);
  const notes = async (name: Name) =>
    (await (await directory(name)).call('ShareNotification/get')).list;
  await eventually(async () =>
    expect(await notes('bob')).toMatchObject([
      { objectId: list, oldRights: null, newRights: { ...NO_RIGHTS, ...READ } },
    ]),
  );
  // Neither the user who shares, nor one who joins by a command.
  await groups.add('team', 'ada');
  await groups.add('team', 'eve');
  await settled('eve', true);
  expect([await notes('ada'), await notes('eve')]).toEqual([[], []]);
  await ada.update('TodoList', list, { shareWith: { [bob.id]: READ } });
  await settled('eve', false);
  // Bob has the same rights by another way.
  expect(await notes('bob')).toHaveLength(1);
});
