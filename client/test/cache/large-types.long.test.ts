import { expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

/** More than the client keeps of a type, and more than the lists that it remembers have. */
const OBJECTS = 24_000;
const PAGE = 1000;
/** Rows of a list that show first. */
const NOTED = 100;

it('a client keeps a bounded part of a type that is larger than that', async () => {
  const { u1, A1 } = served.fixtures();
  for (let from = 0; from < OBJECTS; from += 500) {
    const texts = Array.from({ length: 500 }, (_, at) => String(from + at).padStart(6, '0'));
    const create = Object.fromEntries(texts.map((text) => [`k${text}`, { text }]));
    await u1.ok('Todo/set', { accountId: A1, create });
  }
  const store = memory();
  const client = await served.connect({ store });
  const { Todo } = client.account();
  await client.sync.settled();
  for (let position = 0; position < OBJECTS; position += PAGE) {
    const list = Todo.live({ sort: ['text'], position, limit: PAGE });
    const end = list.subscribe(() => undefined);
    await expect.poll(() => list.getSnapshot().complete, { timeout: 20_000 }).toBe(true);
    const { rows, total } = list.getSnapshot();
    expect([rows.length, total, rows[0]?.text, rows.at(-1)?.text]).toEqual([
      ...[PAGE, OBJECTS, String(position).padStart(6, '0')],
      String(position + PAGE - 1).padStart(6, '0'),
    ]);
    end();
  }
  await client.sync.settled();
  await client.close();
  const name = `${new URL(served.proxy().url).href} u1 1`;
  const kept = await (await store.open(name)).load('objects');
  expect(kept.length).toBeGreaterThan(0);
  // The last 20 lists, and the rows of up to 20 earlier ones that a start would show first.
  expect(kept.length).toBeLessThanOrEqual(20 * (PAGE + NOTED));
}, 120_000);
