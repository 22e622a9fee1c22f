import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// A copy that is read from a server that answers fewer ids than the client asks for.

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
});
