import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

/**
 * The `share` of a descriptor, asked over HTTP: the owner of an account, a user who may write in
 * it, and two users who reach it by shares alone.
 */

const root = useProject('lists.yaml');
const postgresql = usePostgresql();

const MEMBERS = {
  ada: {},
  cat: { given: 'write' },
  bob: { given: 'nothing' },
  eve: { given: 'nothing' },
} as const;

const NOTHING = { created: [], updated: [], destroyed: [] };
const NO_RIGHTS = { mayRead: false, mayWrite: false, mayAdmin: false };
const ALL_RIGHTS = { mayRead: true, mayWrite: true, mayAdmin: true };
const READ = { mayRead: true };
const WRITE = { mayRead: true, mayWrite: true };

/** Serves a fresh account. Returns its id, and the desks of the users. */
async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('share');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-share-data-'));
  const people = await startPeople(root(), { url, dataDir }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { accountId, users } = people;
  const desk = (name: keyof typeof MEMBERS) => new Desk(users[name], accountId);
  return {
    bobsOwn: users.bob.ownAccountId,
    ...{ accountId, ada: desk('ada'), cat: desk('cat'), bob: desk('bob'), eve: desk('eve') },
    async reaches(name: keyof typeof MEMBERS): Promise<boolean> {
      const { accounts = {} } = await users[name].client.session();
      return Object.keys(accounts as object).includes(accountId);
    },
    share: (id: string, shareWith: object | null) =>
      desk('ada').update('TodoList', id, { shareWith }),
  };
}

async function read(desk: Desk, id: string, type = 'TodoList') {
  const { list } = await desk.call(`${type}/get`, { ids: [id] });
  return list[0] ?? null;
}

const FORBIDDEN = { type: 'forbidden' };

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users share objects, and have the rights that the type declares',
  async (name) => {
    const { ada, cat, bob, eve, reaches, share } = await open(name);
    const list = await ada.create('TodoList', { name: 'Shopping' });
    const other = await ada.create('TodoList', { name: 'Secret plans' });
    const milk = await ada.create('Todo', { text: 'Milk', listId: list });
    await ada.create('Todo', { text: 'World domination', listId: other });
    await ada.create('Secret', { text: 'of the account' });
    await eventually(async () => expect(await reaches('bob')).toBe(false));
    expect(await bob.call('TodoList/get')).toMatchObject({ error: 'accountNotFound' });
    expect(await cat.sees('TodoList')).toEqual([list, other].sort());
    expect(await read(cat, list)).toMatchObject({ myRights: ALL_RIGHTS, shareWith: null });

    // Reading: the list and its todos, and nothing else of the account.
    await share(list, { [bob.id]: READ });
    await eventually(async () => expect(await reaches('bob')).toBe(true));
    await eventually(async () => expect(await reaches('eve')).toBe(false));
    expect(await bob.sees('TodoList')).toEqual([list]);
    expect(await bob.sees('Todo')).toEqual([milk]);
    expect((await bob.call('Secret/get')).list).toEqual([]);
    expect(await read(bob, list)).toMatchObject({
      ...{ name: 'Shopping', shareWith: null, myRights: { ...NO_RIGHTS, ...READ } },
    });
    expect(await read(ada, list)).toMatchObject({ shareWith: { [bob.id]: READ } });
    expect(await read(bob, other)).toBeNull();
    expect(await bob.update('TodoList', list, { name: 'Mine' })).toMatchObject(FORBIDDEN);
    expect(await bob.update('Todo', milk, { done: true })).toMatchObject(FORBIDDEN);
    expect(await bob.update('TodoList', other, { name: 'x' })).toMatchObject({ type: 'notFound' });
    const { notCreated } = await bob.call('TodoList/set', { create: { k: { name: 'x' } } });
    expect(notCreated.k).toMatchObject(FORBIDDEN);

    // Writing: the properties that the right is for, and the todos of the list.
    const told = await bob.changes('TodoList', () => share(list, { [bob.id]: WRITE }));
    expect(told).toEqual({ ...NOTHING, updated: [list] });
    expect(await bob.update('TodoList', list, { name: 'Food' })).toBeNull();
    expect(await bob.update('TodoList', list, { color: 'red' })).toMatchObject(FORBIDDEN);
    const bread = await bob.create('Todo', { text: 'Bread', listId: list });
    expect(await bob.update('Todo', bread, { listId: other })).not.toBeNull();
    expect(await bob.destroy('Todo', milk)).toBeNull();
    expect(await ada.sees('Todo')).toContain(bread);

    // Sharing takes a right of its own.
    const withEve = { [`shareWith/${eve.id}`]: READ };
    expect(await bob.update('TodoList', list, withEve)).toMatchObject(FORBIDDEN);
    await share(list, { [bob.id]: ALL_RIGHTS });
    expect(await bob.update('TodoList', list, withEve)).toBeNull();
    expect(await read(bob, list)).toMatchObject({
      shareWith: { [bob.id]: ALL_RIGHTS, [eve.id]: READ },
    });
    await eventually(async () => expect(await reaches('eve')).toBe(true));
    expect(await eve.sees('TodoList')).toEqual([list]);
    expect(await eve.sees('Todo')).toEqual([bread]);

    // A user who loses the right is told that the objects are gone, and loses the account, too.
    const kept = await ada.create('TodoList', { name: 'Kept', shareWith: { [eve.id]: READ } });
    let todos: object = {};
    const left = await eve.changes('TodoList', async () => {
      todos = await eve.changes('Todo', () => share(list, null));
    });
    expect(left).toEqual({ ...NOTHING, destroyed: [list] });
    expect(todos).toEqual({ ...NOTHING, destroyed: [bread] });
    expect(await eve.sees('TodoList')).toEqual([kept]);
    await eventually(async () => expect(await reaches('bob')).toBe(false));
    expect(await ada.destroy('TodoList', kept)).toBeNull();
    await eventually(async () => expect(await reaches('eve')).toBe(false));
  },
  120_000,
);

it.each(['SQLite', 'PostgreSQL'])(
  'on %s users move an object to no list where they may not create it',
  async (name) => {
    const { ada, bob, share } = await open(name);
    const [writable, readable] = [
      await ada.create('TodoList', { name: 'Writable' }),
      await ada.create('TodoList', { name: 'Readable' }),
    ];
    await share(writable, { [bob.id]: WRITE });
    await share(readable, { [bob.id]: READ });
    const seen = async () => expect(await bob.sees('TodoList')).toHaveLength(2);
    await eventually(seen);
    const card = await bob.create('Card', { text: 'mine', listId: writable });
    const { notCreated } = await bob.call('Card/set', { create: { k: { listId: readable } } });
    expect(notCreated.k).toMatchObject(FORBIDDEN);
    expect(await bob.update('Card', card, { listId: readable })).toEqual({
      type: 'forbidden',
      description: 'Only users with the right "mayWrite" may give it this "listId".',
    });
    // An object that the same call has created is judged as the call leaves it.
    const both = await bob.call('Card/set', {
      create: { c: { text: 'new', listId: writable } },
      update: { '#c': { listId: readable } },
    });
    expect(both.notCreated.c).toMatchObject(FORBIDDEN);

    // Out of a list, and to another one where the user may create.
    expect(await bob.update('Card', card, { listId: null })).toBeNull();
    await share(readable, { [bob.id]: WRITE });
    expect(await bob.update('Card', card, { listId: readable })).toBeNull();
    // An object that stays may change, whatever its list lets users create.
    await share(readable, { [bob.id]: READ });
    expect(await bob.update('Card', card, { text: 'kept' })).toBeNull();
  },
  120_000,
);

it('users see the files of what is shared with them, and no other', async () => {
  const { accountId, ada, bob, share } = await open('SQLite');
  const upload = async (text: string): Promise<string> =>
    (await ada.client.upload(accountId, text, 'text/plain')).blobId;
  const [picture, hidden] = [await upload('a picture'), await upload('hidden')];
  const list = await ada.create('TodoList', { name: 'Shopping', picture });
  await ada.create('TodoList', { name: 'Hidden', picture: hidden });
  await share(list, { [bob.id]: WRITE });
  const download = (id: string) => bob.client.http(`/jmap/download/${accountId}/${id}/name`);
  expect((await download(picture)).text).toBe('a picture');
  expect((await download(hidden)).status).toBe(404);
  expect(await bob.call('Blob/get', { ids: [picture, hidden] })).toMatchObject({
    ...{ list: [{ id: picture }], notFound: [hidden] },
  });
});

it('users get no secrets with the copies that they make of what is shared with them', async () => {
  const { accountId, ada, bob, bobsOwn } = await open('SQLite');
  const id = await ada.create('Vault', { code: '1-2-3', shareWith: { [bob.id]: READ } });
  const copy = (given: object) =>
    bob.call('Vault/copy', {
      ...{ fromAccountId: accountId, accountId: bobsOwn },
      create: { k: { id, ...given } },
    });
  const { notCreated } = await copy({});
  expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['code'] });
  expect((await copy({ code: 'own' })).notCreated).toBeNull();
});

it.each(['SQLite', 'PostgreSQL'])(
  'on %s the rights at an object hold at what follows it, at any depth',
  async (name) => {
    const { ada, bob } = await open(name);
    const board = await ada.create('Board', { name: 'Release' });
    const below = await ada.create('Board', { name: 'Bugs', boardId: board });
    const column = await ada.create('Column', { name: 'Open', boardId: below });
    const ticket = await ada.create('Ticket', { text: 'Crash', columnId: column });
    // The account stays in reach by another one.
    const other = await ada.create('Board', { shareWith: { [bob.id]: READ } });
    const boards = [board, below, other].sort();
    const share = (rights: object) =>
      ada.update('Board', board, { shareWith: { [bob.id]: rights } });
    const changing = async (rights: object) => {
      let told: object = {};
      const tickets = await bob.changes('Ticket', async () => {
        told = await bob.changes('Column', () => share(rights));
      });
      return [told, tickets];
    };
    await share(READ);
    await eventually(async () => expect(await bob.sees('Board')).toEqual(boards));
    expect(await bob.sees('Column')).toEqual([column]);
    expect(await bob.sees('Ticket')).toEqual([ticket]);
    expect(await bob.update('Ticket', ticket, { text: 'x' })).toMatchObject(FORBIDDEN);
    const { notCreated } = await bob.call('Ticket/set', { create: { k: { columnId: column } } });
    expect(notCreated.k).toMatchObject(FORBIDDEN);

    // A right that the rule of a parent names, and the rule of what follows it.
    await share(WRITE);
    expect(await read(bob, below, 'Board')).toMatchObject({
      ...{ shareWith: null, myRights: { ...NO_RIGHTS, ...WRITE } },
    });
    expect(await bob.update('Board', below, { name: 'Defects' })).toBeNull();
    expect(await bob.update('Ticket', ticket, { text: 'Crash at start' })).toBeNull();
    await bob.create('Ticket', { text: 'Hang', columnId: column });
    // A right that no rule on the way names ends there.
    await share({ ...READ, mayAdmin: true });
    expect(await read(bob, below, 'Board')).toMatchObject({
      myRights: { ...NO_RIGHTS, ...READ },
    });
    expect(await bob.update('Column', column, { name: 'x' })).toMatchObject(FORBIDDEN);
    const refused = await bob.call('Column/set', { create: { k: { boardId: below } } });
    expect(refused.notCreated.k).toMatchObject(FORBIDDEN);

    const [columns, tickets] = await changing({});
    expect(columns).toEqual({ ...NOTHING, destroyed: [column] });
    expect(tickets).toMatchObject({ destroyed: expect.arrayContaining([ticket]) });
  },
  120_000,
);

it('a right to leave is the right to change', async () => {
  const { ada, bob } = await open('SQLite');
  const board = await ada.create('Board', { shareWith: { [bob.id]: READ } });
  const columnId = await ada.create('Column', { boardId: board });
  const ticket = await ada.create('Ticket', { columnId, assignee: bob.id });
  await eventually(async () => expect(await bob.sees('Ticket')).toEqual([ticket]));
  expect(await bob.update('Ticket', ticket, { text: 'mine' })).toBeNull();
  const away = { columnId: null, assignee: null };
  expect(await bob.update('Ticket', ticket, away)).toMatchObject(FORBIDDEN);
  await ada.update('Board', board, { shareWith: { [bob.id]: WRITE } });
  expect(await bob.update('Ticket', ticket, away)).toBeNull();
  expect(await bob.sees('Ticket')).toEqual([]);
});

it('a right for all other properties covers those that the type keeps undeclared', async () => {
  const { ada, bob } = await open('SQLite');
  const board = await ada.create('Board', { shareWith: { [bob.id]: WRITE } });
  await eventually(async () => expect(await bob.sees('Board')).toEqual([board]));
  expect(await bob.update('Board', board, { name: 'Ours' })).toBeNull();
  expect(await bob.update('Board', board, { 'example.com:icon': 'x' })).toMatchObject(FORBIDDEN);
  await ada.update('Board', board, { shareWith: { [bob.id]: ALL_RIGHTS } });
  expect(await bob.update('Board', board, { 'example.com:icon': 'x' })).toBeNull();
});

it('users who reach the account create objects, and have the rights that rules give', async () => {
  const { ada, bob, eve } = await open('SQLite');
  const shared = await ada.create('Board', { shareWith: { [bob.id]: READ, [eve.id]: READ } });
  await eventually(async () => expect(await bob.sees('Board')).toEqual([shared]));
  const own = await bob.create('Board', { name: 'Mine' });
  expect(await bob.update('Board', own, { name: 'Still mine' })).toBeNull();
  expect(await ada.sees('Board')).toEqual([shared, own].sort());
  expect(await eve.sees('Board')).toEqual([shared]);
});

it('users who reach an account by shares see what other rules give them there', async () => {
  const { ada, bob, share } = await open('SQLite');
  const list = await ada.create('TodoList', { name: 'Shared' });
  const [open_, letter] = [
    await ada.create('Notice', { public: true }),
    await ada.create('Notice', { to: bob.id }),
  ];
  await ada.create('Notice', {});
  await share(list, { [bob.id]: READ });
  await eventually(async () => expect(await bob.sees('TodoList')).toEqual([list]));
  expect(await bob.sees('Notice')).toEqual([open_, letter].sort());
});

it('a property for some users is hidden from those with whom an object is shared', async () => {
  const { ada, bob, share } = await open('SQLite');
  const list = await ada.create('TodoList', { name: 'Party', budget: 500 });
  await share(list, { [bob.id]: ALL_RIGHTS });
  await eventually(async () => expect(await bob.sees('TodoList')).toEqual([list]));
  expect(await read(ada, list)).toMatchObject({ budget: 500 });
  expect(await read(bob, list)).not.toHaveProperty('budget');
  expect(await bob.update('TodoList', list, { color: 'red' })).toBeNull();
  expect(await bob.update('TodoList', list, { budget: 1 })).toMatchObject({
    ...{ type: 'invalidProperties', properties: ['budget'] },
  });
});
