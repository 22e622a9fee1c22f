import { expect, it } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import type { Desk } from './desk.js';
import { useLists } from './principals-rig.js';

/** Notes of changed rights (RFC 9670 3), asked over HTTP. */

const serve = useLists();
const READ = { mayRead: true };
const NO_RIGHTS = { mayRead: false, mayWrite: false, mayAdmin: false };
const NOTHING = { created: [], updated: [], destroyed: [] };

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

async function notes(desk: Desk): Promise<Json[]> {
  return (await desk.call('ShareNotification/get')).list;
}

async function dismissAll(desk: Desk): Promise<void> {
  for (const { id } of await notes(desk))
    expect(await desk.destroy('ShareNotification', id)).toBeNull();
}

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users are noted when others change their rights',
  async (database) => {
    const { accountId, idOf, desk, directory } = await serve(database, 'all');
    const [ada, bob] = [await directory('ada'), await directory('bob')];
    const [bobId, catId, danId] = [idOf('bob'), idOf('cat'), idOf('dan')];
    const list = await desk('ada').create('TodoList', { name: 'Shopping' });
    const share = (shareWith: object | null) => desk('ada').update('TodoList', list, { shareWith });
    expect(await notes(bob)).toEqual([]);

    const given = await bob.changes('ShareNotification', () => share({ [bobId]: READ }));
    const [note] = await notes(bob);
    expect(given).toEqual({ ...NOTHING, created: [note.id] });
    expect(note).toEqual({
      ...{ id: note.id, created: note.created, name: 'Shopping' },
      changedBy: { name: 'ada', email: null, principalId: idOf('ada') },
      ...{ objectType: 'TodoList', objectAccountId: accountId, objectId: list },
      ...{ oldRights: null, newRights: { ...NO_RIGHTS, ...READ } },
    });
    expect(Math.abs(Date.now() - Date.parse(note.created))).toBeLessThan(600_000);
    expect(await notes(ada)).toEqual([]);

    // A further change of the object takes the place of the last one. The rights of before stay.
    const more = { mayRead: true, mayWrite: true };
    await share({ [bobId]: more, [danId]: READ });
    const [second, ...others] = await notes(bob);
    expect(others).toEqual([]);
    expect(second).toMatchObject({ oldRights: null, newRights: { ...NO_RIGHTS, ...more } });
    expect(second.id).not.toBe(note.id);
    expect(await notes(await directory('dan'))).toHaveLength(1);

    // Dismissed, it doesn't come back; the rights that the user then has are the old ones.
    expect(await bob.destroy('ShareNotification', second.id)).toBeNull();
    expect(await notes(bob)).toEqual([]);
    await desk('ada').update('TodoList', list, { name: 'Food' });
    expect(await notes(bob)).toEqual([]);
    await desk('cat').destroy('TodoList', list);
    expect(await notes(bob)).toMatchObject([
      {
        ...{ name: 'Food', oldRights: { ...NO_RIGHTS, ...more }, newRights: null },
        changedBy: { name: 'cat', principalId: catId },
      },
    ]);
    // Nobody is noted of an own change.
    expect(await notes(await directory('cat'))).toEqual([]);

    const { notCreated, notUpdated, ...set } = await bob.call('ShareNotification/set', {
      create: { k: { name: 'x' } },
      update: { [second.id]: { name: 'x' } },
    });
    expect(notCreated.k).toMatchObject({ type: 'forbidden' });
    expect(notUpdated[second.id]).toMatchObject({ type: 'forbidden' });
    expect(set.newState).toBe(set.oldState);
  },
  120_000,
);

it('users hear of what goes with another object', async () => {
  const { idOf, desk, directory } = await serve('SQLite', 'all');
  const bob = await directory('bob');
  const above = await desk('ada').create('Board', { name: 'Plans' });
  const shareWith = { [idOf('bob')]: { mayRead: true, mayWrite: true } };
  await desk('ada').create('Board', { name: 'Secret', boardId: above, shareWith });
  const hidden = { [idOf('bob')]: { mayWrite: true } };
  await desk('ada').create('Board', { name: 'Hidden', boardId: above, shareWith: hidden });
  expect((await notes(bob)).map(({ name }) => name).sort()).toEqual(['', 'Secret']);
  await dismissAll(bob);
  await desk('ada').destroy('Board', above);
  const told = await notes(bob);
  expect(told.map(({ name, newRights }) => ({ name, newRights }))).toEqual(
    expect.arrayContaining([
      { name: 'Secret', newRights: null },
      { name: '', newRights: null },
    ]),
  );
  expect(told).toHaveLength(2);
});

it('users learn no name that they could not read, and nobody whom they do not see', async () => {
  const { idOf, desk, directory, people } = await serve('SQLite', 'shared');
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const names = ['bob', 'eve@example.com'] as const;
  const [bob, eve] = names.map(idOf);
  const all = { mayRead: true, mayWrite: true, mayAdmin: true };
  const both = { [`${bob}`]: all, [`${eve}`]: READ };
  // Ada comes to know them by an account that all have for a while.
  for (const name of names) await people.give(name, 'read');
  await eventually(async () =>
    expect(await desk('ada').update('TodoList', list, { shareWith: both })).toBeNull(),
  );
  for (const name of names) await people.give(name, null);
  const eves = await directory('eve@example.com');
  expect(await notes(eves)).toMatchObject([{ name: 'Shopping', changedBy: { name: 'ada' } }]);
  await dismissAll(eves);
  await eventually(async () => expect(await desk('bob').sees('TodoList')).toEqual([list]));
  const without = { [`shareWith/${eve}`]: null, name: 'Without Eve' };
  expect(await desk('bob').update('TodoList', list, without)).toBeNull();
  expect(await notes(eves)).toMatchObject([
    { name: 'Shopping', changedBy: { name: '', email: null, principalId: null } },
  ]);
});

it('users give up their own rights without a note', async () => {
  const { idOf, desk, directory } = await serve('SQLite', 'all');
  const bob = await directory('bob');
  const shareWith = { [idOf('bob')]: { mayRead: true, mayAdmin: true } };
  const list = await desk('ada').create('TodoList', { name: 'Shopping', shareWith });
  const [note] = await notes(bob);
  await eventually(async () => expect(await desk('bob').sees('TodoList')).toEqual([list]));
  await desk('bob').update('TodoList', list, { shareWith: null });
  expect(await notes(bob)).toEqual([note]);
});

it.each(['SQLite', 'PostgreSQL'])(
  'on %s notes are found by time and object',
  async (database) => {
    const { accountId, idOf, desk, directory } = await serve(database, 'all');
    const bob = await directory('bob');
    const shareWith = { [idOf('bob')]: READ };
    const lists: string[] = [];
    for (const name of ['a', 'b']) {
      lists.push(await desk('ada').create('TodoList', { name, shareWith }));
      expect(await notes(bob)).toHaveLength(lists.length);
    }
    await desk('ada').create('Vault', { code: '1-2-3', shareWith });
    const find = async (filter: object) => {
      const sort = [{ property: 'created', isAscending: false }];
      const { ids } = await bob.call('ShareNotification/query', { filter, sort });
      const { list } = await bob.call('ShareNotification/get', { ids });
      return list.map(({ objectType, name }: Json) => `${objectType} ${name}`);
    };
    expect(await find({})).toEqual(['Vault ', 'TodoList b', 'TodoList a']);
    expect(await find({ objectType: 'Vault' })).toEqual(['Vault ']);
    expect(await find({ objectAccountId: accountId })).toHaveLength(3);
    expect(await find({ objectAccountId: 'other' })).toEqual([]);
    const [first] = await notes(bob);
    expect(await find({ after: first.created })).toContain('TodoList a');
    expect(await find({ before: first.created })).not.toContain('TodoList a');
  },
  120_000,
);

it('a user has 1,000 notes at most: the oldest go', async () => {
  const { idOf, desk, directory } = await serve('SQLite', 'all');
  const bob = await directory('bob');
  const shareWith = { [idOf('bob')]: READ };
  const create = (from: number, count: number) =>
    desk('ada').call('TodoList/set', {
      create: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`k${at}`, { name: `${from + at}`, shareWith }]),
      ),
    });
  await create(0, 600);
  await eventually(async () => expect(await notes(bob)).toHaveLength(600));
  await create(600, 600);
  const names = new Set((await notes(bob)).map(({ name }) => Number(name)));
  expect(names.size).toBe(1000);
  expect(Math.min(...names)).toBe(200);
}, 120_000);

it('a note whose rights are those of before goes', async () => {
  const { idOf, desk, directory } = await serve('SQLite', 'all');
  const bob = await directory('bob');
  const list = await desk('ada').create('TodoList', { name: 'Shopping' });
  const share = (rights: object | null) =>
    desk('ada').update('TodoList', list, { shareWith: rights && { [idOf('bob')]: rights } });
  await share(READ);
  const [{ id }] = await notes(bob);
  const taken = await bob.changes('ShareNotification', () => share(null));
  expect(taken).toEqual({ ...NOTHING, destroyed: [id] });
  // Of two changes between looks as well: the first call looks at both.
  await share(READ);
  await share(null);
  expect(await notes(bob)).toEqual([]);
  await share(READ);
  await dismissAll(bob);
  await share({ mayRead: true, mayWrite: true });
  expect(await notes(bob)).toHaveLength(1);
  await share(READ);
  expect(await notes(bob)).toEqual([]);
});

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users who may write in all of an account hear of no rights there',
  async (database) => {
    const { idOf, desk, directory, people } = await serve(database, 'all');
    const [cat, dan] = [await directory('cat'), await directory('dan')];
    const shareWith = { [idOf('cat')]: READ, [idOf('dan')]: READ };
    const list = await desk('ada').create('TodoList', { name: 'Shopping', shareWith });
    // Dan may read the account alone: the share gives him a right.
    expect(await notes(dan)).toHaveLength(1);
    expect(await notes(cat)).toEqual([]);
    // Once he may write there, the next change ends what he was told.
    const other = await desk('ada').create('TodoList', { name: 'Food', shareWith });
    await people.give('dan', 'write');
    const more = { [idOf('dan')]: { mayRead: true, mayWrite: true } };
    expect(await desk('ada').update('TodoList', list, { shareWith: more })).toBeNull();
    expect((await notes(dan)).map(({ name }) => name)).toEqual(['Food']);
    await desk('ada').destroy('TodoList', other);
    expect(await notes(dan)).toEqual([]);
    await desk('ada').destroy('TodoList', list);
    expect(await notes(cat)).toEqual([]);
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s a user who subscribes to an object needs no note of it',
  async (database) => {
    const { idOf, desk, directory } = await serve(database, 'all');
    const bob = await directory('bob');
    const shareWith = { [idOf('bob')]: READ };
    const lists: string[] = [];
    for (const name of ['a', 'b'])
      lists.push(await desk('ada').create('TodoList', { name, shareWith }));
    const [first = ''] = lists;
    const told = await notes(bob);
    const idOfFirst = told.find(({ objectId }) => objectId === first).id;
    const gone = await bob.changes('ShareNotification', async () => {
      expect(await desk('bob').update('TodoList', first, { isSubscribed: true })).toBeNull();
    });
    expect(gone).toEqual({ ...NOTHING, destroyed: [idOfFirst] });
    // Neither to unsubscribe nor to see the other one makes a difference.
    expect(await desk('bob').update('TodoList', first, { isSubscribed: false })).toBeNull();
    expect((await notes(bob)).map(({ name }) => name)).toEqual(['b']);
    // A later change is told, with the rights of before it.
    const more = { mayRead: true, mayWrite: true };
    await desk('bob').update('TodoList', first, { isSubscribed: true });
    await desk('ada').update('TodoList', first, { shareWith: { [idOf('bob')]: more } });
    expect((await notes(bob)).find(({ objectId }) => objectId === first)).toMatchObject({
      oldRights: { ...NO_RIGHTS, ...READ },
      newRights: { ...NO_RIGHTS, ...more },
    });
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s notices that a server has left behind are taken without a call',
  async (database) => {
    const { idOf, accountId, people, directory, beside } = await serve(database, 'all');
    const bob = await directory('bob');
    expect(await notes(bob)).toEqual([]);
    const place = `p-${idOf('bob')}`;
    const about = { objectAccountId: accountId, objectType: 'TodoList', objectId: 'r1' };
    // The later of two changes has the lower id: the clock of its server was behind.
    const rows = [
      { number: 7, id: 'n2', oldRights: null, newRights: READ },
      { number: 8, id: 'n1', oldRights: READ, newRights: { ...READ, mayWrite: true } },
    ].map(({ number, ...rights }) => {
      const change = { at: 0, changedBy: idOf('ada'), name: 'Shopping', ...about, ...rights };
      return {
        ...{ accountId: place, id: `${String(number).padStart(16, '0')}.${rights.id}` },
        ...{ kind: 'shareNotice', payload: JSON.stringify({ kind: 'rights', ...change }) },
        ...{ due: 0n, attempts: 0n },
      };
    });
    await people.prisma.jmapTask.createMany({ data: rows });
    // The server of SQLite sees by itself that others write to its file.
    if (database === 'PostgreSQL') await beside('bob');
    await eventually(async () => expect(await people.prisma.jmapTask.count()).toBe(0));
    expect(await notes(bob)).toMatchObject([
      { id: 'n1', oldRights: null, newRights: { mayWrite: true } },
    ]);
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s push tells of notes and of principals',
  async (database) => {
    const { accountId, idOf, desk, directory } = await serve(database, 'all');
    const bob = await directory('bob');
    const place = `p-${idOf('bob')}`;
    const stream = await EventStream.open(bob.client, {
      ...{ types: 'ShareNotification,Principal', closeafter: 'no', ping: '0' },
    });
    const changed = (type: string, than: string) =>
      stream.find(({ data }: Json) => (data.changed?.[place]?.[type] ?? than) !== than);
    await changed('Principal', '0');
    const { state } = await bob.call('Principal/get');
    const before = (await bob.call('ShareNotification/get')).state;
    await desk('ada').create('TodoList', { name: 'a', shareWith: { [idOf('bob')]: READ } });
    const { data }: Json = await changed('ShareNotification', before);
    expect(data.changed).not.toHaveProperty(accountId);
    expect(data.changed[place].ShareNotification).toBe(
      (await bob.call('ShareNotification/get')).state,
    );
    await stream.find(
      ({ data: news }: Json) => Number(news.changed?.[place]?.Principal ?? 0) > Number(state),
    );
    await stream.close();
  },
  120_000,
);
