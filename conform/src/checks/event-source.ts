import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { EventStream } from '../client/events.js';
import { unauthenticated } from '../refusal.js';
import type { Server } from '../subject/server.js';
import type { EventVariables, LastEvent } from '../subject/user.js';

/** RFC 8620 7.3: the event source as a resource. */

/** s that a server's least interval of pings may be at the most. */
const LEAST = 30;
/** Part of an interval of pings that a timer may be early by. */
const EARLY = 0.2;

/** Opens a stream, which must succeed, works with it, and closes it in any case. */
export async function withEvents<T>(
  server: Server,
  variables: Partial<EventVariables & LastEvent>,
  work: (stream: EventStream) => Promise<T>,
): Promise<T> {
  const stream = await server.user.openEvents(variables);
  try {
    expect([variables, stream.status]).toEqual([variables, 200]);
    expect(stream.contentType).toMatch(/^text\/event-stream\b/i);
    return await work(stream);
  } finally {
    stream.close();
  }
}

export const eventServerChecks = serverChecks('7.3', [
  {
    id: 'events-url',
    level: 'must',
    rule:
      'The session’s eventSourceUrl is a template with the variables types, ' +
      'closeafter and ping.',
    run: async ({ user }) => {
      const url = String((await user.readSession()).object['eventSourceUrl']);
      const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(names).toEqual(expect.arrayContaining(['closeafter', 'ping', 'types']));
    },
  },
  {
    id: 'events-open',
    level: 'must',
    rule:
      'The resource is a text/event-stream, whatever interval of pings is asked for: what is too ' +
      'short or too long is put between bounds.',
    run: async (server) => {
      for (const ping of ['0', '1', '30', '300', '100000'])
        await withEvents(server, { ping }, async (stream) => {
          expect([ping, stream.isOpen]).toEqual([ping, true]);
        });
    },
  },
  {
    id: 'events-ping',
    level: 'must',
    rule:
      `Where nothing happens an event \`ping\` comes, after ${LEAST} seconds at the most where ` +
      'that or less is asked for, and not before its interval is over. Its data is an object ' +
      'with the interval in use, and it sets no id.',
    run: (server) => {
      const start = performance.now();
      return withEvents(server, { ping: '1' }, async (stream) => {
        const { id, data } = await stream.takeAfter(LEAST, 'ping');
        const took = (performance.now() - start) / 1000;
        const { interval } = data;
        expect([id, Number.isInteger(interval)]).toEqual([null, true]);
        expect(interval).toBeGreaterThan(0);
        expect(interval).toBeLessThanOrEqual(LEAST);
        expect(took).toBeGreaterThanOrEqual(Number(interval) * (1 - EARLY));
      });
    },
  },
  {
    id: 'events-unknown-id',
    level: 'must',
    rule: 'A Last-Event-ID that the server never gave is no error: the stream opens.',
    run: async (server) => {
      for (const lastEventId of ['1', 'x-nobody', '*', '{"a":1}', 'x'.repeat(2000)])
        await withEvents(server, { lastEventId }, async (stream) => {
          expect([lastEventId, stream.isOpen]).toEqual([lastEventId, true]);
        });
    },
  },
  {
    id: 'events-authenticated',
    level: 'must',
    rule:
      'It needs credentials as any other resource: without valid ones it is an error of the ' +
      'client’s (here 401).',
    run: async (server) => {
      await withEvents(server, {}, async () => undefined);
      const stream = await server.user.openEvents({}, 'Bearer nothing-of-the-kind');
      stream.close();
      expect(stream.status).toEqual(unauthenticated(server));
    },
  },
  {
    id: 'events-uncached',
    level: 'should',
    rule: 'Caches between client and server are told not to keep the stream.',
    run: (server) =>
      withEvents(server, {}, async ({ headers }) => {
        expect(headers['cache-control']).toMatch(/\bno-(cache|store)\b/);
      }),
  },
]);
