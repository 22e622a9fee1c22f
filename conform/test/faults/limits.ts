import { asMap, parseJson } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { http, onRequest, rejecting, taking, withBody } from './makers.js';

export const limitsFaults: readonly Fault[] = [
  {
    name: 'limits are not held',
    checks: [
      'limits-calls',
      'limits-named',
      'limits-size',
      'limits-size-chunked',
      'limits-created-ids',
      'limits-reject-whole',
    ],
    ...taking('limit'),
  },
  {
    name: 'calls are limited to one less than is told',
    checks: ['limits-calls'],
    ...rejecting(
      ({ body }) => {
        const calls = asMap(parseJson(body.toString('utf8')))['methodCalls'];
        return Array.isArray(calls) && calls.length > 31;
      },
      'limit',
      { limit: 'maxCallsInRequest' },
    ),
  },
  {
    name: 'the size is limited to an octet less than is told',
    checks: ['limits-size', 'limits-size-chunked'],
    ...rejecting(({ body }) => body.length >= 10_000_000, 'limit', { limit: 'maxSizeRequest' }),
  },
  {
    name: 'a chunked body has no limit',
    checks: ['limits-size-chunked'],
    request: (one) =>
      one.headers['transfer-encoding'] === undefined
        ? one
        : { ...one, body: Buffer.from(one.body.toString('utf8').trimEnd()) },
  },
  {
    name: 'problems do not name the limit',
    checks: ['limits-named', 'limits-calls', 'limits-created-ids'],
    ...http(
      ({ method }) => method === 'POST',
      (answer) => {
        const { limit: _, ...problem } = asMap(parseJson(answer.body.toString('utf8')));
        return answer.status === 400 ? withBody(answer, JSON.stringify(problem)) : answer;
      },
    ),
  },
  {
    name: 'requests are limited to fewer at one time than is told',
    checks: ['limits-concurrent'],
    ...rejecting(({ body }) => body.includes('"c7"'), 'limit', { limit: 'maxConcurrentRequests' }),
  },
  {
    name: 'a surplus of requests is an error of the server',
    checks: ['limits-concurrent'],
    ...http(
      ({ body }) => body.includes('"c11"'),
      (answer) => ({ ...answer, status: 500 }),
    ),
  },
  {
    name: 'unknown capabilities are told when the calls have been run',
    checks: ['limits-reject-whole'],
    ...onRequest((request) => ({
      ...request,
      using: (request['using'] as string[]).filter((urn) => !urn.includes('unknown')),
    })),
    ...({
      answer: (answer, { body }) =>
        body.includes('urn:example:unknown') ? { ...answer, status: 400 } : answer,
    } satisfies Partial<Fault>),
  },
];
