import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commitEach, commitShared } from '../../bench/servers/commits.js';
import { openStore, seed } from '../../bench/servers/sqlite-store.js';
import { newId, type Store, tokenHash } from '../../bench/servers/todos.js';

/** The stores of the servers by hand have to do all the work that they stand for. */
const HASH = tokenHash('Bearer secret') ?? '';

function opened(commits: typeof commitEach): Store {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-test-'));
  const file = join(folder, 'todos.db');
  seed(file, HASH, ['one', 'other']);
  const store = openStore(file, commits);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

test.each([
  ['a commit for each write', commitEach],
  ['shared commits', commitShared],
])(
  'a store by hand, %s, has counters, change records, folded text and accounts',
  async (_, commits) => {
    const store = opened(commits);
    expect(await store.access(HASH, 'one')).toEqual({ readOnly: false });
    expect(await store.access(HASH, 'none')).toBeNull();
    expect(await store.access(tokenHash('Bearer guess') ?? '', 'one')).toBeNull();

    // At the same time, so that they may share a commit.
    const [first, second] = await Promise.all([
      store.create('one', [{ text: 'Ärger' }, { text: 'b', done: true }, { text: 'a' }]),
      store.create('one', [{ text: 'late' }]),
      store.create('other', [{ text: 'elsewhere' }]),
    ]);
    expect([first.state, second.state]).toEqual(['3', '4']);
    const [umlaut, b, a] = first.todos.map(({ id }) => id);
    const changed = await store.update('one', b ?? '', { text: 'c' });
    expect(changed).toMatchObject({ state: '5', todo: { id: b, text: 'c', done: true } });
    expect(await store.update('other', b ?? '', { text: 'd' })).toBeNull();

    const found = await store.list('one', { text: 'ärGER' });
    expect(found.todos).toEqual([first.todos[0]]);
    const sorted = await store.list('one', { done: false, sort: 'text' });
    expect(sorted.todos.map(({ text }) => text)).toEqual(['a', 'late', 'Ärger']);
    const newest = await store.list('one', { sort: '-created', limit: 1 });
    expect(newest.todos).toEqual(second.todos);

    // One record for each object; what was created and then changed has been created.
    const page = await store.changes('one', 0, 2);
    expect([page.state, page.hasMore, page.todos.length]).toEqual(['2', true, 2]);
    const rest = await store.changes('one', 2, 100);
    expect(rest.todos.map(({ id }) => id).sort()).toEqual([a, second.todos[0]?.id, b].sort());
    const query = await store.queryChanges('one', 3, { done: false, sort: 'text' });
    expect(query).toEqual({
      state: '5',
      removed: [b],
      added: [{ id: second.todos[0]?.id, index: 1 }],
    });
    expect((await store.getMany('one', [umlaut ?? '', 'none'])).todos).toEqual([first.todos[0]]);
    expect((await store.changes('other', 0, 100)).todos).toHaveLength(1);
  },
);

test('ids by hand ascend with time, and as long as they are made in one moment', () => {
  const now = Date.now();
  const ids = [newId(now), newId(now), newId(now - 1), newId(now + 1)];
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([26]));
});
