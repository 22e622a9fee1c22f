import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/poll.js';
import type { ConnectOptions } from '../../src/index.js';
import { memory } from '../../src/index.js';
import { webSocket } from '../../src/transport/websocket.js';
import { makeFaultyFetch } from '../support/faulty-fetch.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

const CHANNELS: readonly (readonly [string, Partial<ConnectOptions>])[] = [
  ['an event source', {}],
  ['a WebSocket', { transport: webSocket({ WebSocket, fallback: false }) }],
];

/** Writes as another client. */
async function write(text: string): Promise<void> {
  const { u1, A1 } = served.fixtures();
  await u1.ok('Todo/set', { accountId: A1, create: { k: { text } } });
}

it.each([
  '{"@type":"StateChange"}',
  '{"@type":"StateChange","changed":{"A":null}}',
  '{"@type":"StateChange","changed":{},"pushState":{"toString":0,"valueOf":0}}',
  '{"@type":"RequestError","requestId":"1","status":{"toString":0,"valueOf":0}}',
  'null',
])('a client goes on behind the message %s', async (text) => {
  const sockets: WebSocket[] = [];
  class Watched extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol);
      sockets.push(this);
    }
  }
  const transport = webSocket({ WebSocket: Watched, fallback: false });
  const jmap = await served.connect({ store: memory(), transport });
  await jmap.sync.settled();
  const shown = new Set<string>();
  jmap
    .account()
    .Todo.live()
    .subscribe(({ rows }) => {
      for (const row of rows) shown.add(row.text);
    });
  await write('before it');
  await eventually(() => expect(shown).toContain('before it'), 20_000);
  sockets[0]?.emit('message', Buffer.from(text), false);
  await eventually(() => expect(sockets.length).toBe(2), 20_000);
  await write('behind it');
  await eventually(() => expect(shown).toContain('behind it'), 20_000);
});

describe.each(CHANNELS)('a client with a store and %s', (_, options) => {
  /** Connects, and shows all todos. It would ask by itself after 30 seconds. */
  async function open() {
    const jmap = await served.connect({ store: memory(), ...options });
    const shown = new Set<string>();
    jmap
      .account()
      .Todo.live()
      .subscribe(({ rows }) => {
        for (const { text } of rows) shown.add(text);
      });
    await jmap.sync.settled();
    return { jmap, shown };
  }

  it('shows what another client creates', async () => {
    const { jmap, shown } = await open();
    await write('pushed');
    await eventually(() => expect(shown).toContain('pushed'), 20_000);
    await jmap.close();
  });

  it('shows what was created while its connection was lost', async () => {
    const { jmap, shown } = await open();
    await write('before');
    await eventually(() => expect(shown).toContain('before'), 20_000);
    served.proxy().cut();
    await write('meanwhile');
    await eventually(() => expect(shown).toContain('meanwhile'), 20_000);
    await jmap.close();
  });

  it('asks no more than once for a change that the server tells twice', async () => {
    const { jmap, shown } = await open();
    await write('told');
    await eventually(() => expect(shown).toContain('told'), 20_000);
    await jmap.sync.settled();
    const { length } = served.proxy().api();
    served.proxy().cut();
    await write('last');
    await eventually(() => expect(shown).toContain('last'), 20_000);
    await jmap.sync.settled();
    // One for the change, and one of `settled`.
    expect(served.proxy().api().length - length).toBeLessThanOrEqual(2);
    await jmap.close();
  });
});

describe('a client of a server that tells later changes alone', () => {
  it('asks for what was created while its connection was lost', async () => {
    const streams: ReadableStreamDefaultController[] = [];
    const jmap = await served.connect({ store: memory(), fetch: makeSilentFetch(streams) });
    const query = jmap.account().Todo.live();
    await eventually(() => expect(streams).toHaveLength(1), 10_000);
    await jmap.sync.settled();
    await write('unheard');
    streams[0]?.close();
    await eventually(() => {
      const texts = query.getSnapshot().rows.map(({ text }) => text);
      expect(texts).toContain('unheard');
    }, 20_000);
    await jmap.close();
  });
});

/** A `fetch` whose event sources tell nothing; its server doesn't promise more. */
function makeSilentFetch(streams: ReadableStreamDefaultController[]): typeof fetch {
  const edited = makeFaultyFetch(
    () => null,
    ({ capabilities: { 'urn:jmapsmith:push': _push, ...capabilities }, ...session }) => ({
      ...session,
      capabilities,
    }),
  );
  return async (url, init) => {
    if (!new Headers(init?.headers).get('accept')?.includes('text/event-stream'))
      return edited(url, init);
    const start = (stream: ReadableStreamDefaultController) => void streams.push(stream);
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(new ReadableStream({ start }), { headers });
  };
}
