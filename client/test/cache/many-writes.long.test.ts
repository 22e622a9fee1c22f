import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// As many writes as a client may have made while it was offline.

const served = useTodos();

describe('a client that comes online', () => {
  it('sends many writes in few requests', async () => {
    const jmap = await served.connect({ store: memory() });
    await jmap.sync.settled();
    const me = jmap.account();
    served.proxy().decide(() => 'drop');
    me.Todo.create({ text: 'first of many' });
    await expect.poll(() => jmap.sync.getSnapshot().status).toBe('offline');
    const writes = Array.from({ length: 10_000 }, (_, n) => me.Todo.create({ text: `many ${n}` }));
    expect(jmap.sync.getSnapshot().pending).toBe(10_001);
    const before = served.proxy().api().length;
    const pending: number[] = [];
    jmap.sync.subscribe((snapshot) => pending.push(snapshot.pending));
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(served.proxy().api().length - before).toBeLessThanOrEqual(11);
    expect((await writes[9_999]?.result)?.ok).toBe(true);
    expect(jmap.sync.getSnapshot()).toMatchObject({ pending: 0, status: 'live' });
    expect(pending).toEqual([...pending].sort((one, other) => other - one));
  }, 60_000);
});
