import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

/**
 * Properties of which each user has a value of its own, over HTTP. Ada owns the account, Cat may
 * write in it, Dan may read, and Bob reaches it by shares alone.
 */

const root = useProject('per-user.yaml');
const postgresql = usePostgresql();

const MEMBERS = {
  ada: {},
  cat: { given: 'write' },
  dan: { given: 'read' },
  bob: { given: 'nothing' },
} as const;

/** Serves a fresh account. Returns its id, and the desks of its users. */
async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('own');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-own-data-'));
  const people = await startPeople(root(), { url, dataDir }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { accountId, users } = people;
  const desk = (name: keyof typeof MEMBERS) => new Desk(users[name], accountId);
  return {
    ...{ accountId, ada: desk('ada'), cat: desk('cat'), dan: desk('dan'), bob: desk('bob') },
    catsOwn: new Desk(users.cat, users.cat.ownAccountId),
  };
}

async function read(desk: Desk, type: string, id: string) {
  const { list } = await desk.call(`${type}/get`, { ids: [id] });
  return list[0] ?? null;
}

async function stateOf(desk: Desk, type: string): Promise<string> {
  return (await desk.call(`${type}/get`, { ids: [] })).state;
}

/** Returns all that /changes tells since a state, in pages of one object. */
async function changesSince(desk: Desk, type: string, sinceState: string) {
  const told: Record<string, string[]> = { created: [], updated: [], destroyed: [] };
  let properties: unknown = null;
  for (let state = sinceState; ; ) {
    const page = await desk.call(`${type}/changes`, { sinceState: state, maxChanges: 1 });
    expect(page.error).toBeUndefined();
    for (const kind of Object.keys(told)) told[kind]?.push(...page[kind]);
    properties = page.updatedProperties;
    state = page.newState;
    if (!page.hasMoreChanges) return { ...told, state, properties };
  }
}

const DATABASES = ['SQLite', 'PostgreSQL'];

it.each(DATABASES)(
  'on %s each user reads and sets values of its own',
  async (name) => {
    const { ada, cat, dan } = await open(name);

    // The creator gives its own values; others read defaults.
    const create = { k: { text: 'A', seen: true }, l: { text: 'B' } };
    const { created } = await ada.call('Note/set', { create });
    expect(created.k).not.toHaveProperty('seen');
    expect(created.k).toMatchObject({ labels: {}, due: null });
    expect(created.l).toMatchObject({ seen: false, labels: {}, due: null });
    const [a, b] = [created.k.id, created.l.id];
    expect(await read(ada, 'Note', a)).toMatchObject({ text: 'A', seen: true, labels: {} });
    expect(await read(cat, 'Note', a)).toMatchObject({ text: 'A', seen: false, due: null });
    expect(await read(dan, 'Note', a)).toMatchObject({ seen: false });

    // Patches: whole values, entries, null for the default, and all or nothing.
    const { updated } = await read(cat, 'Note', a);
    const set = (desk: Desk, patch: object) => desk.call('Note/set', { update: { [a]: patch } });
    expect((await set(cat, { seen: true, 'labels/x': true })).updated).toEqual({ [a]: null });
    expect(await read(cat, 'Note', a)).toMatchObject({ seen: true, labels: { x: true }, updated });
    expect((await set(cat, { 'labels/y': true, 'labels/x': null })).updated).toEqual({ [a]: null });
    expect((await read(cat, 'Note', a)).labels).toEqual({ y: true });
    expect((await read(ada, 'Note', a)).labels).toEqual({});
    expect((await set(cat, { seen: null })).updated).toEqual({ [a]: { seen: false } });
    expect((await set(cat, { due: '2026-01-02T03:04:05.000Z' })).updated).toEqual({
      [a]: { due: '2026-01-02T03:04:05Z' },
    });
    const wrong = await set(cat, { seen: 'yes', text: 1, 'labels/z': true });
    expect(wrong.notUpdated[a]).toMatchObject({
      ...{ type: 'invalidProperties', properties: expect.arrayContaining(['seen', 'text']) },
    });
    expect((await read(cat, 'Note', a)).labels).toEqual({ y: true });
    const large = { labels: { a: true, b: true, c: true, d: true } };
    expect((await set(cat, large)).notUpdated[a].type).toBe('invalidProperties');

    // Both kinds in one patch; and updates of what the call creates.
    const both = await set(cat, { text: 'A2', seen: true });
    expect(Object.keys(both.updated[a])).toEqual(['updated']);
    expect(await read(ada, 'Note', a)).toMatchObject({ text: 'A2', seen: true });
    expect(await read(cat, 'Note', a)).toMatchObject({ text: 'A2', seen: true });
    const born = await cat.call('Note/set', {
      create: { n: { text: 'N' } },
      update: { '#n': { seen: true } },
    });
    const n = born.created.n.id;
    expect(await read(cat, 'Note', n)).toMatchObject({ seen: true });
    expect(await read(ada, 'Note', n)).toMatchObject({ seen: false });
    const chosen = await ada.call('Note/get', { ids: [n, b], properties: ['seen'] });
    expect(chosen.list).toEqual([
      { id: n, seen: false },
      { id: b, seen: false },
    ]);

    // By a query's result, and where the account is read only.
    const { methodResponses } = await cat.client.api([
      ['Note/query', { accountId: both.accountId, sort: [{ property: 'text' }] }, 'q'],
      [
        'Note/get',
        { accountId: both.accountId, '#ids': { resultOf: 'q', name: 'Note/query', path: '/ids' } },
        'g',
      ],
    ]);
    const found = { list: [{ seen: true }, { seen: false }, { seen: true }] };
    expect(methodResponses[1]?.[1]).toMatchObject(found);
    expect((await set(dan, { seen: true })).error).toBe('accountReadOnly');
  },
  240_000,
);

it.each(DATABASES)(
  'on %s a value of one user moves the state of that user alone',
  async (name) => {
    const { accountId, ada, cat } = await open(name);
    const a = await ada.create('Note', { text: 'A' });
    const b = await ada.create('Note', { text: 'B' });
    const [adas, cats] = [await stateOf(ada, 'Note'), await stateOf(cat, 'Note')];
    const query = (desk: Desk) => desk.call('Note/query', { filter: { text: '' } });
    const [adasQuery, catsQuery] = [await query(ada), await query(cat)];
    const streams = await Promise.all(
      [ada, ada, cat].map((desk) =>
        EventStream.open(desk.client, { types: 'Note', closeafter: 'no', ping: '0' }),
      ),
    );
    onTestFinished(() => {
      for (const stream of streams) stream.close();
    });

    const done = await ada.call('Note/set', { ifInState: adas, update: { [a]: { seen: true } } });
    expect(done).toMatchObject({ oldState: adas, updated: { [a]: null } });
    expect(done.newState).not.toBe(adas);
    expect(await stateOf(ada, 'Note')).toBe(done.newState);
    await streams[0]?.state(accountId, 'Note', done.newState);
    await streams[1]?.state(accountId, 'Note', done.newState);
    expect(await changesSince(ada, 'Note', adas)).toMatchObject({
      ...{
        created: [],
        updated: [a],
        destroyed: [],
        state: done.newState,
        properties: ['updated', 'seen'],
      },
    });
    const own = await ada.call('Note/queryChanges', {
      ...{ filter: { text: '' }, sinceQueryState: adasQuery.queryState },
    });
    expect(own).toMatchObject({ removed: [], added: [] });

    // The other user: no state, no change, no wake.
    expect(await stateOf(cat, 'Note')).toBe(cats);
    expect(await changesSince(cat, 'Note', cats)).toMatchObject({ updated: [], state: cats });
    expect((await query(cat)).queryState).toBe(catsQuery.queryState);
    expect(
      await cat.call('Note/queryChanges', {
        ...{ filter: { text: '' }, sinceQueryState: catsQuery.queryState },
      }),
    ).toMatchObject({ removed: [], added: [], newQueryState: catsQuery.queryState });
    const mine = await cat.call('Note/set', { ifInState: cats, update: { [b]: { text: 'B2' } } });
    expect(mine.updated[b]).toMatchObject({ updated: expect.any(String) });
    await streams[2]?.state(accountId, 'Note', mine.newState);
    const toCat = (streams[2]?.events ?? []).filter(({ event }) => event === 'state');
    expect(toCat).toHaveLength(1);
    const late = await ada.call('Note/set', { ifInState: done.newState, destroy: [] });
    expect(late.error).toBe('stateMismatch');

    // Pages of one change, over values of both users and changes of objects.
    const [from, since] = [await stateOf(ada, 'Note'), await stateOf(cat, 'Note')];
    for (const [desk, id] of [
      [cat, a],
      [ada, b],
      [cat, b],
      [cat, a],
    ] as const)
      await desk.call('Note/set', {
        update: { [id]: { labels: { [String(Math.random())]: true } } },
      });
    const c = await cat.create('Note', { text: 'C', seen: true });
    await ada.call('Note/set', { update: { [c]: { seen: true } } });
    await ada.destroy('Note', b);
    expect(await changesSince(ada, 'Note', from)).toMatchObject({
      ...{ created: [c], destroyed: [b], state: await stateOf(ada, 'Note') },
    });
    const toldToCat = await changesSince(cat, 'Note', since);
    expect(toldToCat).toMatchObject({ created: [c], destroyed: [b] });
    expect(new Set(toldToCat['updated' as never] as string[])).toEqual(new Set([a, b]));
    const page = await ada.call('Note/changes', { sinceState: from });
    expect(page).toMatchObject({
      created: [c],
      updated: [],
      destroyed: [b],
      hasMoreChanges: false,
    });
  },
  240_000,
);

it.each(DATABASES)(
  'on %s users who may only read objects set values of their own',
  async (name) => {
    const { accountId, ada, bob } = await open(name);
    const list = await ada.create('TodoList', { name: 'Shopping', color: 'red' });
    const other = await ada.create('TodoList', { name: 'Other' });
    const milk = await ada.create('Todo', { text: 'Milk', listId: list });
    const hidden = await ada.create('Todo', { text: 'Hidden', listId: other });
    await ada.update('TodoList', list, { shareWith: { [bob.id]: { mayRead: true } } });
    await eventually(async () => expect(await bob.sees('Todo')).toEqual([milk]));
    const [adas, bobs] = [await stateOf(ada, 'Todo'), await stateOf(bob, 'Todo')];
    const stream = await EventStream.open(ada.client, {
      ...{ types: 'Todo,TodoList', closeafter: 'no', ping: '0' },
    });
    onTestFinished(() => stream.close());

    expect(await read(bob, 'Todo', milk)).toMatchObject({ text: 'Milk', seen: false });
    const set = await bob.call('Todo/set', { ifInState: bobs, update: { [milk]: { seen: true } } });
    expect(set).toMatchObject({ updated: { [milk]: null }, notUpdated: null });
    expect(await bob.update('TodoList', list, { color: 'blue' })).toBeNull();
    expect(await read(bob, 'TodoList', list)).toMatchObject({ color: 'blue' });
    expect(await read(ada, 'TodoList', list)).toMatchObject({ color: 'red' });
    const mixed = { seen: false, text: 'Mine' };
    expect(await bob.update('Todo', milk, mixed)).toMatchObject({ type: 'forbidden' });
    expect(await read(bob, 'Todo', milk)).toMatchObject({ text: 'Milk', seen: true });
    expect(await bob.update('Todo', hidden, { seen: true })).toMatchObject({ type: 'notFound' });
    // He sees no singleton, whether it is written or not.
    const desk = () => bob.update('Desk', 'singleton', { theme: 'dark' });
    expect(await desk()).toMatchObject({ type: 'notFound' });
    expect(await ada.update('Desk', 'singleton', { title: 'Mine' })).toBeNull();
    expect(await desk()).toMatchObject({ type: 'notFound' });
    expect(await changesSince(bob, 'Todo', bobs)).toMatchObject({ updated: [milk] });
    expect(await stateOf(ada, 'Todo')).toBe(adas);
    // The first state that she is told is that of a value of her own.
    const hers = await ada.call('Todo/set', { update: { [milk]: { seen: true } } });
    await stream.state(accountId, 'Todo', hers.newState);
    expect(stream.events.filter(({ event }) => event === 'state')).toHaveLength(1);

    // RFC 9670 4: a user subscribes to what others share with it.
    expect(await read(bob, 'TodoList', list)).toMatchObject({ isSubscribed: false });
    expect(await read(ada, 'TodoList', list)).toMatchObject({ isSubscribed: true });
    expect(await bob.update('TodoList', list, { isSubscribed: true })).toBeNull();
    expect(await ada.update('TodoList', list, { isSubscribed: false })).toBeNull();
    expect(await read(bob, 'TodoList', list)).toMatchObject({ isSubscribed: true });
    expect(await read(ada, 'TodoList', list)).toMatchObject({ isSubscribed: false });
    const back = await ada.call('TodoList/set', { update: { [list]: { isSubscribed: null } } });
    expect(back.updated).toEqual({ [list]: { isSubscribed: true } });

    // A change of the user's own, then of the object, within pages of one change.
    const from = await stateOf(bob, 'Todo');
    await bob.update('Todo', milk, { seen: false });
    await ada.update('Todo', milk, { seen: false });
    await ada.update('Todo', milk, { text: 'Oat milk' });
    await bob.update('Todo', milk, { seen: true });
    expect(await changesSince(bob, 'Todo', from)).toMatchObject({ created: [], destroyed: [] });
    await ada.update('Todo', milk, { listId: other });
    const left = await bob.call('Todo/changes', { sinceState: from });
    expect(left).toMatchObject({ created: [], updated: [], destroyed: [milk] });
    expect(await bob.update('Todo', milk, { seen: false })).toMatchObject({ type: 'notFound' });
    // The values wait for the user to see the object again.
    await ada.update('Todo', milk, { listId: list });
    expect(await read(bob, 'Todo', milk)).toMatchObject({ seen: true });

    // A destroy is told to the user after a change of its own.
    const kept = await ada.create('TodoList', { name: 'Kept' });
    await ada.update('TodoList', kept, { shareWith: { [bob.id]: { mayRead: true } } });
    const last = await stateOf(bob, 'Todo');
    await bob.update('Todo', milk, { seen: false });
    await ada.destroy('TodoList', list);
    const gone = await bob.call('Todo/changes', { sinceState: last });
    expect(gone).toMatchObject({ created: [], updated: [], destroyed: [milk] });
  },
  240_000,
);

it.each(DATABASES)(
  'on %s a copy takes none of its source’s values',
  async (name) => {
    const { accountId, cat, catsOwn } = await open(name);
    const a = await cat.create('Note', { text: 'A', seen: true, labels: { x: true } });
    const ifFromInState = await stateOf(cat, 'Note');
    const { created } = await catsOwn.call('Note/copy', {
      ...{ fromAccountId: accountId, ifFromInState },
      create: { k: { id: a }, l: { id: a, seen: true } },
    });
    expect(created.k).toMatchObject({ seen: false, labels: {} });
    expect(created.l).not.toHaveProperty('seen');
    expect(await read(catsOwn, 'Note', created.k.id)).toMatchObject({ text: 'A', seen: false });
    expect(await read(catsOwn, 'Note', created.l.id)).toMatchObject({ text: 'A', seen: true });
  },
  240_000,
);

it.each(DATABASES)(
  'on %s a singleton has values of each user',
  async (name) => {
    const { ada, cat } = await open(name);
    const desk = (one: Desk) => read(one, 'Desk', 'singleton');
    expect(await desk(ada)).toMatchObject({ title: 'Desk', theme: 'light' });
    const state = await stateOf(cat, 'Desk');
    expect(await ada.update('Desk', 'singleton', { theme: 'dark' })).toBeNull();
    expect(await desk(ada)).toMatchObject({ title: 'Desk', theme: 'dark' });
    expect(await desk(cat)).toMatchObject({ title: 'Desk', theme: 'light' });
    expect(await stateOf(cat, 'Desk')).toBe(state);
    expect(await cat.update('Desk', 'singleton', { title: 'Ours' })).toBeNull();
    expect(await desk(ada)).toMatchObject({ title: 'Ours', theme: 'dark' });
  },
  240_000,
);
