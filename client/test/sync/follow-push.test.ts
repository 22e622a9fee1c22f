import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/poll.js';
import { openConnection } from '../../src/call/connection.js';
import type { ConnectOptions } from '../../src/index.js';
import { followPush } from '../../src/sync/follow-push.js';
import { webSocket } from '../../src/transport/websocket.js';
import { useTodos } from '../support/todos.js';
import { TestCopy, todoTable } from './copy.js';
import { HttpWire } from './wires.js';

const served = useTodos();

/** A copy of the user's own account that follows push. */
async function openCopy(options: Partial<ConnectOptions>) {
  const { u1, A1 } = served.fixtures();
  const wire = new HttpWire(served.server().url, u1.token);
  const copy = new TestCopy({ wire, accountId: A1, tables: [todoTable] });
  const connection = await openConnection({ url: served.proxy().url, token: u1.token, ...options });
  const seen = { wakes: 0, isPushed: false };
  const push = followPush(connection, {
    cursor: (accountId, type) =>
      accountId === A1 && type === 'Todo' ? copy.replica.cursor(type) : undefined,
    wake() {
      seen.wakes += 1;
      copy.want();
    },
    setPushed: (isPushed) => {
      seen.isPushed = isPushed;
    },
  });
  const end = async (): Promise<void> => {
    push.close();
    await Promise.all([copy.close(), connection.close()]);
  };
  return { copy, push, seen, end };
}

async function write(text: string): Promise<void> {
  const { u1, A1 } = served.fixtures();
  await u1.ok('Todo/set', { accountId: A1, create: { k: { text } } });
}

const CHANNELS: readonly (readonly [string, Partial<ConnectOptions>])[] = [
  ['an event source', {}],
  ['a WebSocket', { transport: webSocket({ WebSocket, fallback: false }) }],
];

describe.each(CHANNELS)('a copy that follows %s', (_, options) => {
  it('has what another client creates', async () => {
    const { copy, seen, end } = await openCopy(options);
    await eventually(() => expect(seen.isPushed).toBe(true), 20_000);
    await write('pushed');
    await eventually(() => {
      const texts = [...copy.replica.rows('Todo')].map(({ text }) => text);
      expect(texts).toContain('pushed');
    }, 20_000);
    await end();
  });

  it('is woken for types that it has, in another state alone', async () => {
    const { copy, push, seen, end } = await openCopy(options);
    await eventually(() => expect(copy.replica.cursor('Todo')).not.toBeNull(), 20_000);
    await copy.settle();
    const { wakes } = seen;
    const { u1, A1 } = served.fixtures();
    await u1.ok('Note/set', { accountId: A1, create: { k: { title: 'x' } } });
    served.proxy().cut();
    await eventually(() => expect(seen.isPushed).toBe(false), 20_000);
    push.retry();
    await eventually(() => expect(seen.isPushed).toBe(true), 20_000);
    await write('last');
    await eventually(() => expect(seen.wakes).toBeGreaterThan(wakes), 20_000);
    await copy.settle();
    expect(seen.wakes).toBe(wakes + 1);
    await end();
  });
});
