import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { Server } from '../subject/server.js';
import { CALL } from './request.js';
import { buildEcho, buildErrorType, withSocket } from './websocket-talk.js';

/** RFC 8887 4.3.1 to 4.3.3: Request and Response. */

/**
 * Sends requests without ids at once, each shorter than the one before. Expects the answers in the
 * same order.
 */
export const expectAnswersInOrder = (server: Server, count: number): Promise<void> =>
  withSocket(server, async (socket) => {
    const all = Array.from({ length: count }, (_, n) => ({
      n,
      pad: 'x'.repeat((count - n) * 200),
    }));
    for (const one of all) {
      const { id: _, ...request } = buildEcho('', one);
      socket.send(request);
    }
    const answers: unknown[] = [];
    for (const _ of all) answers.push((await socket.take())['methodResponses']);
    expect(answers).toEqual(all.map((one) => [['Core/echo', one, 'c0']]));
  });

export const socketMessageChecks = serverChecks(
  '4.3.2',
  [
    {
      id: 'ws-request',
      level: 'must',
      rule:
        'A Request is answered with a Response that has the request’s id as requestId, the ' +
        'responses to its calls, and the state of the session.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { object } = await server.user.readSession();
          expect(await socket.ask(buildEcho('r1', { high: 5 }))).toEqual({
            '@type': 'Response',
            requestId: 'r1',
            methodResponses: [['Core/echo', { high: 5 }, 'c0']],
            sessionState: object['state'],
          });
        }),
    },
    {
      id: 'ws-request-ids',
      section: '4.3.3',
      level: 'must',
      rule:
        'Any String is an id of a request and comes back unchanged, also one that was used ' +
        'before.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (const id of [
            '',
            'x'.repeat(2000),
            '"\\ 🦊\u0000',
            '__proto__',
            'r',
            'r',
            '\u00e9 e\u0301',
          ])
            expect(await socket.ask(buildEcho(id))).toEqual(
              expect.objectContaining({ '@type': 'Response', requestId: id }),
            );
        }),
    },
    {
      id: 'ws-no-id',
      section: '4.3.3',
      level: 'must',
      rule: 'A Request without an id is answered, without a requestId.',
      run: (server) =>
        withSocket(server, async (socket) => {
          const { id: _, ...request } = buildEcho('');
          const { requestId = null, ...answer } = await socket.ask(request);
          expect(requestId).toBeNull();
          expect(answer['methodResponses']).toEqual([CALL]);
        }),
    },
    {
      id: 'ws-created-ids',
      section: '4.3.3',
      level: 'must',
      rule: 'A Response has createdIds where the Request has them, and only there (RFC 8620 3.4).',
      run: (server) =>
        withSocket(server, async (socket) => {
          const createdIds = { k: 'x1' };
          expect(await socket.ask({ ...buildEcho('a'), createdIds })).toEqual(
            expect.objectContaining({ requestId: 'a', createdIds }),
          );
          expect(await socket.ask(buildEcho('b'))).not.toHaveProperty('createdIds');
        }),
    },
    {
      id: 'ws-concurrent',
      level: 'must',
      rule:
        'Requests that are sent without waiting are each answered once and whole, in any order, ' +
        'by their ids.',
      /**
       * Sends longer requests first, so that a server which answers as soon as it can answers out
       * of order.
       */
      run: (server) =>
        withSocket(server, async (socket) => {
          const count = Math.min(server.user.session.readLimit('maxConcurrentRequests'), 8);
          const args = Array.from({ length: count }, (_, n) => ({
            n,
            pad: String(n).repeat((count - n) * 2000),
          }));
          for (const one of args) socket.send(buildEcho(`r${one.n}`, one));
          const answers = new Map<unknown, unknown>();
          for (const _ of args) {
            const { requestId, methodResponses } = await socket.take();
            answers.set(requestId, methodResponses);
          }
          expect(answers).toEqual(
            new Map(args.map((one) => [`r${one.n}`, [['Core/echo', one, 'c0']]])),
          );
        }),
    },
    {
      id: 'ws-concurrent-surplus',
      level: 'must',
      rule:
        'Of more requests than maxConcurrentRequests each is answered by its id, with a Response ' +
        'or the limit that it went beyond; afterwards all is as before.',
      /**
       * Sends four times as many requests as the limit. Each needs an answer of either kind, and
       * the connection stays usable.
       */
      run: (server) =>
        withSocket(server, async (socket) => {
          const count = Math.min(server.user.session.readLimit('maxConcurrentRequests') * 4, 100);
          const ids = Array.from({ length: count }, (_, n) => `r${n}`);
          for (const id of ids) socket.send(buildEcho(id, { id }));
          const answered: unknown[] = [];
          for (const _ of ids) {
            const answer = await socket.take();
            answered.push(answer['requestId']);
            if (answer['@type'] === 'Response')
              expect(answer['methodResponses']).toEqual([
                ['Core/echo', { id: answer['requestId'] }, 'c0'],
              ]);
            else
              expect(answer).toEqual(
                expect.objectContaining({
                  '@type': 'RequestError',
                  type: buildErrorType('limit'),
                  limit: 'maxConcurrentRequests',
                }),
              );
          }
          expect([...answered].sort()).toEqual([...ids].sort());
          expect((await socket.ask(buildEcho('after')))['@type']).toBe('Response');
        }),
    },
    {
      id: 'ws-no-id-in-order',
      level: 'must',
      rule:
        'Requests without ids, no more at a time than maxConcurrentRequests, are answered in ' +
        'their order: nothing else tells which answer is whose.',
      run: (server) =>
        expectAnswersInOrder(
          server,
          Math.min(8, server.user.session.readLimit('maxConcurrentRequests')),
        ),
    },
    {
      id: 'ws-many-requests',
      section: '4.3',
      level: 'must',
      rule: 'One connection serves as many requests as it likes, one after the other.',
      run: (server) =>
        withSocket(server, async (socket) => {
          for (let n = 0; n < 50; n += 1)
            expect(await socket.ask(buildEcho(`r${n}`, { n }))).toEqual(
              expect.objectContaining({
                requestId: `r${n}`,
                methodResponses: [['Core/echo', { n }, 'c0']],
              }),
            );
        }),
    },
  ],
  'RFC 8887',
);
