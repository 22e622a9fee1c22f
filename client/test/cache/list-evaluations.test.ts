import { describe, expect, it, vi } from 'vitest';
import { memory } from '../../src/index.js';
import { LocalList } from '../../src/query/local-list.js';
import { Replica } from '../../src/store/replica.js';
import { useTodos } from '../support/todos.js';

// How often a list is found again: once for a commit, whoever looks at it.

const served = useTodos();
const MANY = 1000;

/** Counts things by what they belong to. */
function countBy(all: readonly unknown[]): readonly number[] {
  const counts = new Map<unknown, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts.values()];
}

async function create(...texts: readonly string[]): Promise<void> {
  const { u1, A1 } = served.fixtures();
  const values = texts.map((text, at) => [`k${at}`, { text }] as const);
  await u1.set('Todo', { accountId: A1, create: Object.fromEntries(values) });
}

describe('a list with 1,000 subscribers', () => {
  it('is found again once for a commit, as one with a single subscriber is', async () => {
    const client = await served.connect({ store: memory() });
    const { Todo } = client.account();
    const list = Todo.live({ filter: { text: 'local' } });
    const other = Todo.live({ sort: ['-text'] });
    await client.sync.settled();
    for (const one of [list, other]) await expect.poll(() => one.getSnapshot().status).toBe('live');
    const fill = vi.spyOn(LocalList.prototype, 'fillSteps');
    const update = vi.spyOn(LocalList.prototype, 'update');
    const seen = new Set<object>();
    let calls = 0;
    for (let n = 0; n < MANY; n += 1)
      list.subscribe(() => {
        calls += 1;
        seen.add(list.getSnapshot());
      });
    other.subscribe(() => undefined);
    expect([calls, seen.size]).toEqual([MANY, 1]);
    const write = Todo.create({ text: 'local one' });
    expect([calls, seen.size]).toEqual([2 * MANY, 2]);
    expect(countBy(update.mock.contexts)).toEqual([1, 1]);
    await write.result;
    await create('local two');
    await expect.poll(() => list.getSnapshot().total).toBe(2);
    await client.sync.settled();
    const [ofMany, ofOne, ...rest] = countBy(update.mock.contexts);
    expect([ofMany, rest]).toEqual([ofOne, []]);
    expect(calls).toBe(seen.size * MANY);
    expect(fill).not.toHaveBeenCalled();
  });

  it('that the server decides is asked for once, and found again once for a commit', async () => {
    await create(...Array.from({ length: 20 }, (_, n) => `served ${n}`));
    const client = await served.connect({ store: memory(), coverage: { Todo: 'known' } });
    const { Todo } = client.account();
    const search = { filter: { text: 'served' }, limit: 20 } as const;
    const list = Todo.live({ ...search, sort: ['text'] });
    const other = Todo.live({ ...search, sort: ['-text'] });
    const look = vi.spyOn(Replica.prototype, 'list');
    let calls = 0;
    for (let n = 0; n < MANY; n += 1)
      list.subscribe(() => {
        calls += 1;
        list.getSnapshot();
      });
    other.subscribe(() => undefined);
    await expect.poll(() => list.getSnapshot().complete).toBe(true);
    await expect.poll(() => other.getSnapshot().complete).toBe(true);
    await Todo.update(list.rows[0]?.id ?? '', { done: true }).result;
    await client.sync.settled();
    expect(calls).toBeGreaterThan(3 * MANY);
    const [ofMany, ofOne, ...rest] = countBy(look.mock.calls.map(([name]) => name));
    expect(ofMany).toBeGreaterThan(0);
    expect([ofMany, rest]).toEqual([ofOne, []]);
    const asked = served
      .proxy()
      .api()
      .flatMap(({ methodCalls }) => methodCalls);
    expect(asked.filter(([name]) => name === 'Todo/query')).toHaveLength(2);
  });
});
