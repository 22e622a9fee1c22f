import { asMap, parseJson } from '../../src/client/json.js';
import type { Fault, ProxyAnswer } from '../proxy.js';
import { http, session, withBody } from './makers.js';

const at = (path: string) => (request: { readonly path: string }) => request.path.includes(path);

/** Answers what is refused as if it were allowed. */
const allowed = (answer: ProxyAnswer): ProxyAnswer =>
  answer.status === 401 ? { ...answer, status: 200 } : answer;

const challenged = (value: string): Partial<Fault> =>
  http(
    () => true,
    (answer) =>
      answer.status === 401
        ? { ...answer, headers: { ...answer.headers, 'www-authenticate': value } }
        : answer,
  );

export const securityFaults: readonly Fault[] = [
  {
    name: 'downloads are for everybody',
    checks: [
      'security-no-credentials',
      'security-wrong-credentials',
      'security-malformed-credentials',
    ],
    ...http(at('/download/'), allowed),
  },
  {
    name: 'wrong credentials are 403',
    checks: ['security-wrong-credentials', 'security-malformed-credentials'],
    ...http(
      () => true,
      (answer) => (answer.status === 401 ? { ...answer, status: 403 } : answer),
    ),
  },
  {
    name: 'there is no challenge',
    checks: ['security-challenge', 'security-challenge-bearer'],
    ...http(
      () => true,
      (answer) => {
        const { 'www-authenticate': _, ...headers } = answer.headers;
        return { ...answer, headers };
      },
    ),
  },
  {
    name: 'Basic is offered',
    checks: ['security-no-basic', 'security-challenge-bearer'],
    ...challenged('Bearer realm="jmap", Basic realm="jmap"'),
  },
  {
    name: 'accounts are looked up before credentials',
    checks: ['security-same-refusal'],
    ...http(at('/upload/a-nobody'), (answer) =>
      withBody({ ...answer, status: 404 }, JSON.stringify(asMap(parseJson('{}')))),
    ),
  },
  {
    name: 'the scheme is compared with its case',
    checks: ['security-scheme-case'],
    ...http(
      ({ headers }) => headers['authorization']?.startsWith('Bearer ') === false,
      (answer) => ({ ...answer, status: 401 }),
    ),
  },
  {
    name: 'the first of two Authorization headers counts',
    checks: ['security-two-headers'],
    ...http(at('well-known'), (answer) => ({ ...answer, status: 200 })),
  },
  {
    name: 'the API is asked over http',
    checks: ['security-https'],
    ...session((value) => ({ ...value, apiUrl: 'http://jmap.example.com/jmap' })),
  },
  {
    name: 'a preflight needs credentials',
    checks: ['security-preflight'],
    ...http(
      ({ method }) => method === 'OPTIONS',
      (answer) => ({ ...answer, status: 401 }),
    ),
  },
];
