import { asMap, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault, ProxyRequest } from '../proxy.js';
import { forgiving, http, onRequest, onResponse, rejecting, taking, withBody } from './makers.js';

const requestOf = ({ body }: ProxyRequest): JsonMap => asMap(parseJson(body.toString('utf8')));
const usingOf = (request: ProxyRequest): readonly string[] => {
  const { using } = requestOf(request);
  return Array.isArray(using) ? (using as string[]) : [];
};

/** Changes a member of problems. */
const problems = (change: (problem: JsonMap) => JsonMap, type = 'application/problem+json') =>
  http(
    () => true,
    (answer) => {
      const problem = asMap(parseJson(answer.body.toString('utf8')));
      if (answer.status < 400) return answer;
      const headers = { ...answer.headers, 'content-type': type };
      return withBody({ ...answer, headers }, JSON.stringify(change(problem)));
    },
  );

export const requestFaults: readonly Fault[] = [
  {
    name: 'problems do not say in which language they are',
    checks: ['language-told'],
    ...http(
      ({ method }) => method === 'POST',
      ({ headers: { 'content-language': _, ...headers }, ...answer }) => ({ ...answer, headers }),
    ),
  },
  {
    name: 'a body that is no JSON is a request without calls',
    checks: ['request-not-json', 'request-other-type'],
    ...taking('notJSON'),
  },
  {
    name: 'octets behind a request are not read',
    checks: ['request-not-json'],
    request: (one) => ({
      ...one,
      body: Buffer.from(one.body.toString('utf8').replace(/\}(x|\{\}|,| .*)$/s, '}')),
    }),
  },
  {
    name: 'JSON that is no Request is one without calls',
    checks: [
      'request-not-an-object',
      'request-using-shape',
      'request-calls-shape',
      'request-invocation-shape',
      'request-created-ids-shape',
    ],
    ...taking('notRequest'),
  },
  {
    name: 'call ids are made strings, and arguments objects',
    checks: ['request-invocation-shape'],
    ...onRequest((request) => ({
      ...request,
      methodCalls: (request['methodCalls'] as unknown[]).map((call) =>
        Array.isArray(call) ? [call[0], asMap(call[1]), String(call[2])] : (call as never),
      ) as never,
    })),
  },
  {
    name: 'unknown capabilities are ignored',
    checks: ['request-unknown-capability', 'request-unknown-capability-named'],
    ...taking('unknownCapability'),
  },
  {
    name: 'problems do not name the capability',
    checks: ['request-unknown-capability-named'],
    ...problems((problem) => ({ ...problem, detail: 'A capability is unknown.' })),
  },
  {
    name: 'problems have the type of a page',
    checks: ['request-problem-details'],
    ...problems((problem) => problem, 'text/html'),
  },
  {
    name: 'problems have no type',
    checks: ['request-problem-details', 'request-not-an-object'],
    ...problems(({ type: _, ...problem }) => problem),
  },
  {
    name: 'media types are compared as they are written',
    checks: ['request-content-type'],
    ...rejecting(({ headers }) => headers['content-type'] !== 'application/json', 'notJSON'),
  },
  {
    name: 'responses are text',
    checks: ['request-response-type'],
    ...http(
      () => true,
      (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }),
    ),
  },
  {
    name: 'a request without calls is none',
    checks: ['request-no-calls', 'request-created-ids'],
    ...rejecting((one) => asMap(requestOf(one))['methodCalls']?.toString() === '', 'notRequest'),
  },
  {
    name: 'a capability may be named once',
    checks: ['request-using-twice'],
    ...rejecting((one) => new Set(usingOf(one)).size < usingOf(one).length, 'notRequest'),
  },
  {
    name: 'capabilities without methods are unknown',
    checks: ['request-using-unused'],
    ...rejecting((one) => usingOf(one).length > 2, 'unknownCapability'),
  },
  {
    name: 'core needs not be named',
    checks: ['request-using-none'],
    ...forgiving('unknownMethod', 'echo', {}),
  },
  {
    name: 'unknown members of a request are wrong',
    checks: ['request-unknown-members'],
    ...rejecting((one) => 'more' in requestOf(one), 'notRequest'),
  },
  {
    name: 'createdIds are not answered',
    checks: ['request-created-ids'],
    ...onResponse(({ createdIds: _, ...response }) => response),
  },
  {
    name: 'createdIds are always answered',
    checks: ['request-created-ids', 'request-response-type', 'request-unknown-members'],
    ...onResponse((response) => ({ createdIds: {}, ...response })),
  },
  {
    name: 'every verb is taken for a POST',
    checks: ['request-verbs', 'request-posted'],
    request: (one) => ({ ...one, method: 'POST' }),
  },
  {
    name: 'a compressed body is an error of the server',
    checks: ['request-content-encoding'],
    ...http(
      ({ headers }) => headers['content-encoding'] !== undefined,
      (answer) => ({ ...answer, status: 500 }),
    ),
  },
];
