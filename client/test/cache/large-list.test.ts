import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

/** Lists of more objects than 5,000 are made in slices. */
const OBJECTS = 6000;
const PAGE = 1000;

const textOf = (number: number): string => `todo ${String(number).padStart(4, '0')}`;

async function makeObjects(): Promise<void> {
  const { u1, A1 } = served.fixtures();
  for (let first = 0; first < OBJECTS; first += PAGE) {
    const texts = Array.from({ length: PAGE }, (_, n) => [`k${n}`, { text: textOf(first + n) }]);
    await u1.set('Todo', { accountId: A1, create: Object.fromEntries(texts) });
  }
}

describe('a list of many objects', () => {
  it('is made in slices from a store, with what is written meanwhile', async () => {
    await makeObjects();
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    await first.close();
    const jmap = await served.connect({ store });
    const { Todo } = jmap.account();
    const list = Todo.live({ sort: ['text'] });
    // The rules of texts are there before the list is made.
    const small = Todo.live({ sort: ['text'], filter: { text: textOf(0) } });
    await expect.poll(() => small.getSnapshot().status).toBe('live');
    const told: string[] = [];
    const stop = list.subscribe(({ status, rows }) => told.push(`${status} ${rows.length}`));
    // A quick machine may need one slice.
    expect(told[0]).toBeOneOf(['loading 0', `live ${OBJECTS}`]);
    const [row] = small.getSnapshot().rows;
    Todo.destroy(row?.id ?? '');
    Todo.create({ text: 'todo 0000a' });
    await expect.poll(() => list.getSnapshot().status).toBe('live');
    const { rows } = list.getSnapshot();
    expect(told.filter((one) => one !== 'loading 0')[0]).toBe(`live ${OBJECTS}`);
    expect(rows.slice(0, 2).map(({ text }) => text)).toEqual(['todo 0000a', textOf(1)]);
    expect(rows.at(-1)?.text).toBe(textOf(OBJECTS - 1));
    stop();
    await jmap.sync.settled();
  });
});
