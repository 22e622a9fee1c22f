import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

/**
 * A user with whom very many lists are shared. With three rights at each, the user has more scopes
 * than a statement of SQLite may have parameters (32,766) or one of PostgreSQL (65,535).
 */

const root = useProject('lists.yaml');
const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'nothing' }, eve: { given: 'nothing' } } as const;
const ALL = { mayRead: true, mayWrite: true, mayAdmin: true };

/** Lists of one /set. */
const LISTS = 500;

async function open(database: string) {
  const url = database === 'SQLite' ? null : await postgresql().createDatabase('scopes');
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-scopes-'));
  const people = await startPeople(root(), { url, dataDir }, MEMBERS);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { accountId, users } = people;
  const desk = (name: keyof typeof MEMBERS) => new Desk(users[name], accountId);
  return { ada: desk('ada'), bob: desk('bob'), eve: desk('eve') };
}

it.each([
  ['SQLite', 11_000],
  ['PostgreSQL', 22_000],
])(
  'on %s a user of %i shared lists follows them as a user of one does',
  async (database, count) => {
    const { ada, bob, eve } = await open(database);
    for (let made = 0; made < count; made += LISTS) {
      const list = { name: 'shared', shareWith: { [bob.id]: ALL } };
      const create = Object.fromEntries(
        Array.from({ length: LISTS }, (_, index) => [`k${index}`, list]),
      );
      expect((await ada.call('TodoList/set', { create })).notCreated).toBeNull();
    }
    const both = { [bob.id]: ALL, [eve.id]: ALL };
    const listId = await ada.create('TodoList', { name: 'of two', shareWith: both });
    const hidden = await ada.create('TodoList', { name: 'hidden' });
    const todo = await ada.create('Todo', { text: 'seen', listId });
    await ada.create('Todo', { text: 'hidden', listId: hidden });
    await eventually(async () => expect(await eve.sees('TodoList')).toEqual([listId]));

    const query = { calculateTotal: true, limit: 1 };
    expect(await bob.call('TodoList/query', query)).toMatchObject({ total: count + 1 });
    expect(await bob.sees('Todo')).toEqual([todo]);
    const { list } = await bob.call('TodoList/get', { ids: [listId, hidden] });
    expect(list).toMatchObject([{ id: listId, myRights: ALL }]);

    const states = async (desk: Desk) => ({
      desk,
      state: (await desk.call('Todo/get', { ids: [] })).state,
      queryState: (await desk.call('Todo/query', {})).queryState,
    });
    const asked = [await states(bob), await states(eve)];
    const added = await ada.create('Todo', { text: 'new', listId });
    await ada.create('Todo', { text: 'new and hidden', listId: hidden });
    for (const { desk, state, queryState } of asked) {
      expect(await desk.call('Todo/changes', { sinceState: state })).toMatchObject({
        ...{ created: [added], updated: [], destroyed: [] },
      });
      const queryChanges = { sinceQueryState: queryState };
      expect(await desk.call('Todo/queryChanges', queryChanges)).toMatchObject({
        ...{ removed: [], added: [{ id: added }] },
      });
    }
    expect(await bob.update('Todo', todo, { done: true })).toBeNull();

    // All of it comes into view, and leaves it.
    const { state } = await bob.call('TodoList/get', { ids: [] });
    expect(await ada.update('TodoList', listId, { shareWith: null })).toBeNull();
    expect(await bob.call('TodoList/changes', { sinceState: state })).toMatchObject({
      destroyed: [listId],
    });
    expect(await bob.sees('Todo')).toEqual([]);
  },
);
