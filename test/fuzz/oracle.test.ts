import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../support/json.js';
import { judgeHttp } from './oracle.js';
import { PROJECT_WORLD } from './rig.js';
import { responseShapes } from './shapes.js';
import { judgeMessage } from './sockets.js';
import { complaints, growth, type Sample } from './watch.js';
import { readAnswer } from './wire.js';

/** The fuzzer's oracle is shown answers that no server may give: each must be caught. */

const shapes = responseShapes(PROJECT_WORLD);
const calls = [
  ['Core/echo', { a: 1 }, 'c0'],
  ['Todo/get', { accountId: 'a1', ids: ['r1', 'r2'], properties: ['text'] }, 'c1'],
  ['Todo/set', { accountId: 'a1', create: { k: { text: 'a' } }, destroy: ['r1'] }, 'c2'],
  ['Todo/query', { accountId: 'a1', limit: 1, calculateTotal: true }, 'c3'],
  ['Todo/changes', { accountId: 'a1', sinceState: '1', maxChanges: 2 }, 'c4'],
];
const request = {
  octets: Buffer.from(JSON.stringify({ using: ['urn:ietf:params:jmap:core'], methodCalls: calls })),
  verdict: 'any' as const,
  number: 0,
  clean: true,
};
const got = { accountId: 'a1', state: '1', list: [{ id: 'r1', text: 'x' }], notFound: ['r2'] };
const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
const set = {
  accountId: 'a1',
  oldState: '1',
  newState: '2',
  created: { k: { id: 'r3', ...times, done: false } },
  notDestroyed: { r1: { type: 'notFound', description: 'r1' } },
};
const queried = {
  accountId: 'a1',
  queryState: 'q',
  canCalculateChanges: true,
  position: 0,
  ids: ['r1'],
  total: 2,
  limit: 1,
};
const changed = {
  accountId: 'a1',
  oldState: '1',
  newState: '3',
  hasMoreChanges: false,
  created: ['r1'],
  updated: [],
  destroyed: ['r2'],
  updatedProperties: null,
};
const responses = (): [string, JsonMap, string][] => [
  ['Core/echo', { a: 1 }, 'c0'],
  ['Todo/get', structuredClone(got), 'c1'],
  ['Todo/set', structuredClone(set), 'c2'],
  ['Todo/query', structuredClone(queried), 'c3'],
  ['Todo/changes', structuredClone(changed), 'c4'],
];

const wire = (status: number, body: unknown, type = 'application/json') => ({
  status,
  headers: new Map([['content-type', type]]),
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  broken: null,
});
const judge = (answer: ReturnType<typeof wire>, of: object = {}) =>
  judgeHttp({ ...request, ...of }, answer, true, shapes).wrong;
const ok = (methodResponses: unknown, more: object = {}) =>
  wire(200, { methodResponses, sessionState: 's', ...more });
const problem = (type: string, status = 400, more: object = {}) =>
  wire(status, { type, status, detail: 'd', ...more }, 'application/problem+json');
const error = (name: string): string => `urn:ietf:params:jmap:error:${name}`;

it('finds nothing in right answers', () => {
  expect(judge(ok(responses()))).toEqual([]);
  const odd = { clean: false };
  expect(judge(problem(error('notJSON')), odd)).toEqual([]);
  expect(judge(problem(error('limit'), 400, { limit: 'maxSizeRequest' }), odd)).toEqual([]);
  expect(judge(problem('about:blank', 503), odd)).toEqual([]);
});

describe('catches', () => {
  /** The right responses with one of them changed. */
  const changedAt = (index: number, change: object): unknown =>
    responses().map((one, n) => (n === index ? [one[0], { ...one[1], ...change }, one[2]] : one));
  const failed = (type: string, description: string | undefined = 'd'): unknown =>
    responses().map((one, n) => (n === 1 ? ['error', { type, description }, 'c1'] : one));

  it.each<[string, unknown]>([
    ['a wrong call id', responses().map((one, n) => (n === 1 ? [one[0], one[1], 'x'] : one))],
    ['responses out of order', responses().toReversed()],
    ['a response too few', responses().slice(0, -1)],
    ['a response too many', [...responses(), ['Core/echo', {}, 'c4']]],
    ['an answer of another method', responses().with(1, ['Todo/set', {}, 'c1'])],
    ['a response that is no array', [...responses().slice(0, -1), {}]],
    ['serverFail', failed('serverFail')],
    ['an error outside the catalogue', failed('oops')],
    ['a valid call refused', failed('invalidArguments')],
    ['another echo', changedAt(0, { a: 2 })],
    ['an undeclared member', changedAt(1, { secret: 1 })],
    ['a member that is missing', changedAt(1, { state: undefined })],
    ['an object of another shape', changedAt(1, { list: [{ id: 'r1', text: 5 }] })],
    [
      'a property that was not asked for',
      changedAt(1, { list: [{ id: 'r1', text: 'x', done: true }] }),
    ],
    ['an id neither found nor not found', changedAt(1, { notFound: [] })],
    ['an object twice', changedAt(1, { list: [got.list[0], got.list[0]] })],
    ['a create without an answer', changedAt(2, { created: null })],
    ['a destroy without an answer', changedAt(2, { notDestroyed: null })],
    [
      'a SetError outside the catalogue',
      changedAt(2, { notDestroyed: { r1: { type: 'x', description: 'd' } } }),
    ],
    [
      'a SetError without description',
      changedAt(2, { notDestroyed: { r1: { type: 'notFound' } } }),
    ],
    ['an older state', changedAt(2, { newState: '0' })],
    [
      'a new state of nothing',
      changedAt(2, { created: {}, notCreated: { k: { type: 'tooLarge', description: 'd' } } }),
    ],
    ['more ids than the limit', changedAt(3, { ids: ['r1', 'r2'] })],
    ['no total', changedAt(3, { total: undefined })],
    ['a wrong position', changedAt(3, { position: -1 })],
    ['more changes than maxChanges', changedAt(4, { updated: ['r5'] })],
    ['an id changed twice', changedAt(4, { created: ['r2'] })],
    ['a page without progress', changedAt(4, { hasMoreChanges: true, newState: '1' })],
  ])('%s', (_name, methodResponses) => {
    expect(judge(ok(methodResponses))).not.toEqual([]);
  });

  const odd = { clean: false };
  it.each<[string, ReturnType<typeof wire>, object]>([
    ['a valid request refused', problem(error('notRequest')), {}],
    ['an answer that is no JSON', wire(200, '{"a":'), odd],
    [
      'another content type',
      { ...ok(responses()), headers: new Map([['content-type', 'x']]) },
      odd,
    ],
    ['no session state', wire(200, { methodResponses: responses() }), odd],
    ['a member of the response', ok(responses(), { stack: '' }), odd],
    ['createdIds that nobody sent', ok(responses(), { createdIds: {} }), odd],
    ['a status of 500', problem('about:blank', 500), odd],
    ['a problem outside the catalogue', problem(error('other')), odd],
    ['a limit without a name', problem(error('limit')), odd],
    [
      'another status within',
      wire(400, { type: error('notJSON'), status: 200, detail: 'd' }, 'application/problem+json'),
      odd,
    ],
    ['a problem as text', wire(400, 'no', 'text/html'), odd],
    ['I-JSON broken and run', ok(responses()), { verdict: 'notJSON', clean: false }],
    [
      'I-JSON broken and called something else',
      problem(error('notRequest')),
      { verdict: 'notJSON', clean: false },
    ],
    ['no request run', ok(responses()), { octets: Buffer.from('{"using":5}'), clean: false }],
    ['no answer', { ...wire(0, ''), status: 0 }, odd],
  ])('%s', (_name, answer, of) => {
    expect(judge(answer, of)).not.toEqual([]);
  });

  it('over a WebSocket, another requestId, a closed socket, an unknown message', () => {
    const octets = Buffer.from(
      `{"@type":"Request","id":"r1",${request.octets.toString().slice(1)}`,
    );
    const message = { ...request, octets, isBinary: false };
    const answer = (more: object) =>
      Buffer.from(
        JSON.stringify({
          '@type': 'Response',
          requestId: 'r1',
          methodResponses: responses(),
          sessionState: 's',
          ...more,
        }),
      );
    const wrong = (came: Buffer | number) => judgeMessage(message, came, shapes).wrong;
    expect(wrong(answer({}))).toEqual([]);
    expect(wrong(answer({ requestId: 'r2' }))).not.toEqual([]);
    expect(wrong(answer({ '@type': 'Other' }))).not.toEqual([]);
    expect(wrong(1011)).not.toEqual([]);
  });

  it('broken HTTP', () => {
    expect(readAnswer(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), false)?.answer.broken).not.toBeNull();
    expect(readAnswer(Buffer.from('nonsense\r\n\r\n'), false)?.answer.broken).not.toBeNull();
  });

  it('a message of the server on standard error', () => {
    const line = (level: number, msg: string): string => JSON.stringify({ level, msg });
    expect(complaints(`${line(30, 'listening')}\n${line(40, 'slow')}\n`)).toEqual([]);
    expect(complaints(`${line(50, 'defect')}\n(node:1) Warning: x\n`)).toHaveLength(2);
  });

  it('memory that grows by little with each request, and none that comes and goes', () => {
    const samples = (grown: (n: number) => number): Sample[] =>
      Array.from({ length: 100 }, (_, n) => ({
        requests: n * 10_000,
        heapMb: 60 + ((n * 37) % 25) + grown(n),
        rssMb: 0,
        descriptors: 0,
        loopDelay: 0,
      }));
    const grows = (grown: (n: number) => number, leftOut = 1 / 4) =>
      growth(samples(grown), ({ heapMb }) => heapMb, leftOut);
    expect(Math.abs(grows(() => 0) ?? 99)).toBeLessThan(5);
    // Fifty octets a request: half a megabyte in ten thousand.
    expect(grows((n) => n / 2)).toBeGreaterThan(24);
    expect(grows((n) => Math.min(n, 20))).toBeLessThan(5);
    expect(grows((n) => Math.min(n, 50), 1 / 2)).toBeLessThan(5);
    expect(grows((n) => n / 2, 1 / 2)).toBeGreaterThan(16);
  });
});
