import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// A client with a store, on a real server, behind a proxy that loses what a test says.

const served = useTodos();
const open = (store = memory()) => served.connect({ store });

describe('a write', () => {
  it('is on screen at once, and on the server after it', async () => {
    const jmap = await open();
    const me = jmap.account();
    const write = me.Todo.create({ text: 'Tea' });
    expect(write.object).toMatchObject({ text: 'Tea', done: false, $pending: true });
    expect(await write.saved).toBe(true);
    const answer = await write.result;
    if (!answer.ok) throw new Error(answer.error.type);
    expect(answer.object).toMatchObject({ text: 'Tea', $key: write.object.$key, $pending: false });
    const { list } = await me.Todo.get({ ids: [answer.object.id] });
    expect(list).toMatchObject([{ text: 'Tea', done: false }]);
  });
});
