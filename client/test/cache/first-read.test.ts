import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Copies that are read whole, a page at a time. The server answers fewer ids than the client asks
// for.

const served = useTodos({ env: { QUERY_MAX_LIMIT: '2' } });

const textsOf = (rows: readonly { readonly text: string }[]) => rows.map(({ text }) => text).sort();

describe('a copy that comes in pages of the size that the server sets', () => {
  it('has all objects, and loses none when it is read anew', async () => {
    const { u1, A1 } = served.fixtures();
    const create = Object.fromEntries(['1', '2', '3', '4', '5'].map((text) => [text, { text }]));
    await u1.set('Todo', { accountId: A1, create });
    const jmap = await served.connect({ store: memory() });
    const query = jmap.account().Todo.live();
    await jmap.sync.settled();
    expect(textsOf(query.getSnapshot().rows)).toEqual(['1', '2', '3', '4', '5']);
    await served.server().tool('scripts/account', ['reset-states']);
    await jmap.sync.settled();
    expect(textsOf(query.getSnapshot().rows)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('loses what is gone, even where the program ends behind the last page', async () => {
    const { u1, A1 } = served.fixtures();
    const { created } = await u1.set('Todo', { accountId: A1, create: { k: { text: 'gone' } } });
    const store = memory();
    const first = await served.connect({ store });
    await first.sync.settled();
    expect(textsOf(first.account().Todo.live().getSnapshot().rows)).toContain('gone');
    await first.close();
    await served.server().tool('scripts/account', ['reset-states']);
    await u1.set('Todo', { accountId: A1, destroy: [created?.['k']?.id ?? ''] });
    let asked = 0;
    served.proxy().decide(({ text }) => {
      if (!text.includes('Todo/changes')) return 'pass';
      asked += 1;
      return 'drop';
    });
    const second = await served.connect({ store });
    await expect.poll(() => asked).toBeGreaterThan(0);
    await second.close();
    served.proxy().decide(() => 'pass');
    const third = await served.connect({ store });
    await third.sync.settled();
    expect(textsOf(third.account().Todo.live().getSnapshot().rows)).not.toContain('gone');
  });
});
