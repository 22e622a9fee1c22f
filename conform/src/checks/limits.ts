import { expect } from 'expect';
import { serverChecks, typeChecks } from '../check.js';
import type { Call } from '../client/answers.js';
import type { ApiAnswer } from '../client/connection.js';
import { asMap, type JsonMap } from '../client/json.js';
import { ERROR, readApiAnswer, refused } from '../refusal.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';
import { UnexpectedError } from '../unexpected.js';
import { runAtOnce } from './at-once.js';

/** RFC 8620 2 and 3.6.1: limits of a request, each at the number that the session tells. */

/** More than so much is not sent to anybody. */
export const MOST = { calls: 5000, octets: 20_000_000, concurrent: 64, createdIds: 4096 };

/** Returns so many calls of Core/echo, each with an id and a value of its own. */
const buildEchoes = (count: number): Call[] =>
  Array.from({ length: count }, (_, n) => ['Core/echo', { n }, `c${n}`]);

/** Returns a request with these calls, which names core alone. */
export const buildRequest = (calls: readonly Call[]): JsonMap => ({
  using: [CORE],
  methodCalls: calls as never,
});

/** Returns a limit of the session (RFC 8620 2). */
export const readLimit = (
  server: Server,
  name: Parameters<Server['user']['session']['readLimit']>[0],
): number => server.user.session.readLimit(name);

/** Returns why a limit is too high to be tried; null where it isn't. */
export const needLowLimit = (
  server: Server,
  name: 'maxCallsInRequest' | 'maxSizeRequest',
  most: number,
) => {
  const limit = readLimit(server, name);
  return limit > most ? `${name} is ${limit}: more than ${most} is not sent.` : null;
};

/** Returns an echo of exactly so many octets, filled up with blanks. */
function buildSized(size: number, label: JsonMap = {}): string {
  const text = JSON.stringify({ ...label, ...buildRequest(buildEchoes(1)) });
  if (size < text.length) throw new UnexpectedError(`No request fits into ${size} octets.`);
  return `${text}${' '.repeat(size - text.length)}`;
}

/** Sends so many octets, by the transport of the run. */
export async function sendSized(
  server: Server,
  size: number,
  chunked = false,
): Promise<ApiAnswer | null> {
  const { user } = server;
  if (server.transport === 'http')
    return readApiAnswer(
      await user.http.send(user.session.expand('apiUrl'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: buildSized(size),
        chunked,
      }),
    );
  const socket = await user.openSocket();
  if (typeof socket === 'number')
    throw new UnexpectedError(`The handshake is refused with ${socket}.`);
  try {
    socket.send(buildSized(size, { '@type': 'Request', id: 'sized' }));
    const message = await Promise.race([socket.take(), socket.closed]);
    // A connection may end with "message too big" (RFC 6455 7.4.1) in place of an answer.
    if (message === 1009) return null;
    if (typeof message === 'number')
      throw new UnexpectedError(`The server closed the WebSocket with the code ${message}.`);
    const { '@type': type, ...rest } = message;
    if (type === 'Response') return { kind: 'response', response: rest as never };
    return { kind: 'problem', status: Number(rest['status'] ?? 0), problem: rest };
  } finally {
    socket.close();
  }
}

/**
 * Expects that a request of maxSizeRequest octets is answered, and one of an octet more is refused.
 */
async function expectSizesHeld(server: Server, chunked: boolean): Promise<void> {
  const limit = readLimit(server, 'maxSizeRequest');
  expect((await sendSized(server, limit, chunked))?.kind).toBe('response');
  const beyond = await sendSized(server, limit + 1, chunked);
  if (beyond === null) return;
  // A proxy in front of a server may answer a long body by itself.
  if (beyond.kind === 'problem' && beyond.status === 413) return;
  expect(beyond).toEqual(refused(server, 'limit', 'maxSizeRequest'));
}

/**
 * Sends echoes at one time, each in a request of its own. Returns the refusals of those that are
 * refused. None of a surplus is sent again.
 */
export async function echoAtOnce(
  server: Server,
  count: number,
  isSurplus = false,
): Promise<readonly Problem[]> {
  const client = server.user.buildClient();
  const answers = await runAtOnce(
    buildEchoes(count).map((call) => async () => {
      const answer = await client.send(JSON.stringify(buildRequest([call])), isSurplus);
      if (answer.kind === 'problem') return [answer];
      expect(asMap(answer.response as never)['methodResponses']).toEqual([call]);
      return [];
    }),
  );
  return answers.flat();
}

type Problem = Extract<ApiAnswer, { kind: 'problem' }>;

/** Returns why maxConcurrentRequests is too high to be tried; null where it isn't. */
export function needLowConcurrency(server: Server): string | null {
  const limit = readLimit(server, 'maxConcurrentRequests');
  return limit > MOST.concurrent ? `maxConcurrentRequests is ${limit}.` : null;
}

const ofServers = serverChecks('3.6.1', [
  {
    id: 'limits-calls',
    level: 'must',
    rule: 'maxCallsInRequest calls are answered; one more is rejected as limit.',
    applies: (server) => needLowLimit(server, 'maxCallsInRequest', MOST.calls),
    async run(server) {
      const limit = readLimit(server, 'maxCallsInRequest');
      const client = server.user.buildClient();
      expect((await client.api(buildEchoes(limit))).methodResponses).toEqual(buildEchoes(limit));
      expect(await client.send(JSON.stringify(buildRequest(buildEchoes(limit + 1))))).toEqual(
        refused(server, 'limit', 'maxCallsInRequest'),
      );
    },
  },
  {
    id: 'limits-named',
    level: 'must',
    rule:
      'The problem of type limit has the member `limit`, which names the limit ' +
      'that was reached.',
    applies: (server) => needLowLimit(server, 'maxCallsInRequest', MOST.calls),
    async run(server) {
      const calls = buildEchoes(readLimit(server, 'maxCallsInRequest') + 1);
      const answer = await server.user.buildClient().send(JSON.stringify(buildRequest(calls)));
      const problem = answer.kind === 'problem' ? answer.problem : {};
      if (problem['type'] === `${ERROR}limit`) expect(problem['limit']).toBe('maxCallsInRequest');
      expect(answer.kind).toBe('problem');
    },
  },
  {
    id: 'limits-size',
    level: 'must',
    rule:
      'A request of maxSizeRequest octets is answered; one of an octet more is rejected as ' +
      'limit.',
    applies: (server) => needLowLimit(server, 'maxSizeRequest', MOST.octets),
    run: (server) => expectSizesHeld(server, false),
  },
  {
    id: 'limits-size-chunked',
    level: 'must',
    rule: 'The same holds where the length of the request is not told beforehand.',
    transport: 'http',
    applies: (server) => needLowLimit(server, 'maxSizeRequest', MOST.octets),
    run: (server) => expectSizesHeld(server, true),
  },
  {
    id: 'limits-concurrent',
    level: 'must',
    rule:
      'maxConcurrentRequests requests at one time are all answered; of more each is answered or ' +
      'rejected as limit, and afterwards all is as before.',
    applies: needLowConcurrency,
    async run(server) {
      const limit = readLimit(server, 'maxConcurrentRequests');
      expect(await echoAtOnce(server, limit)).toEqual([]);
      const limited = refused(server, 'limit', 'maxConcurrentRequests');
      // 429 is the status that HTTP has for it.
      for (const one of await echoAtOnce(server, limit * 4, true))
        if (one.status !== 429) expect(one).toEqual(limited);
      expect(await echoAtOnce(server, limit)).toEqual([]);
    },
  },
]);

const ofTypes = typeChecks('3.6', { methods: ['get', 'set'] }, [
  {
    id: 'limits-reject-whole',
    level: 'must',
    rule:
      'Nothing of a rejected request is run: not where there are too many calls, a capability is ' +
      'unknown, a call behind is malformed, or a member stands twice.',
    async run(subject) {
      const { type, A1: accountId, client } = subject;
      const { using } = client;
      const before = await subject.takeSnapshot(accountId);
      const write: Call = [`${type}/set`, { accountId, create: { k: subject.create('x') } }, 'w'];
      const buildText = (calls: readonly unknown[], names = using): string =>
        JSON.stringify({ using: names, methodCalls: calls });
      const limit = readLimit(subject.server, 'maxCallsInRequest');
      const rejected = [
        buildText([write], [...using, 'urn:example:unknown']),
        buildText([write, ['Core/echo', {}]]),
        `${buildText([write]).slice(0, -1)},"x":1,"x":2}`,
        `${buildText([write])}x`,
        ...(limit > MOST.calls ? [] : [buildText([write, ...buildEchoes(limit)])]),
      ];
      for (const one of rejected) {
        expect((await client.send(one)).kind).toBe('problem');
        expect(await subject.takeSnapshot(accountId)).toEqual(before);
      }
    },
  },
]);

export const limitsChecks = Object.freeze([...ofServers, ...ofTypes]);
