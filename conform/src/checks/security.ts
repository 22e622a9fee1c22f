import { expect } from 'expect';
import { serverChecks } from '../check.js';
import type { HttpAnswer, HttpRequest } from '../client/http.js';
import { unauthenticated } from '../refusal.js';
import type { Server } from '../subject/server.js';
import { CORE } from '../subject/user.js';

/** RFC 8620 1.7 and 8: what is asked without credentials, or with wrong ones. */

/** Describes a request that needs credentials: an endpoint of the session, and how it is asked. */
export interface Place extends HttpRequest {
  readonly url: string;
}

/** Returns a good request to each URL of the session, to be sent with other credentials. */
export function buildRequests({ user: { session } }: Server): readonly Place[] {
  const [accountId = 'a'] = Object.keys(session.accounts);
  const json = { 'content-type': 'application/json' };
  const text = { 'content-type': 'text/plain' };
  const body = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', {}, 'c']] });
  const blob = { accountId, blobId: 'b', name: 'n', type: 'text/plain' };
  const stream = { types: '*', closeafter: 'state', ping: '0' };
  return [
    { url: session.url },
    { url: session.expand('apiUrl'), method: 'POST', headers: json, body },
    { url: session.expand('uploadUrl', { accountId }), method: 'POST', headers: text, body: 'x' },
    { url: session.expand('downloadUrl', blob) },
    { url: session.expand('eventSourceUrl', stream), headers: { accept: 'text/event-stream' } },
  ];
}

/** Sends a request with an Authorization header of its own, or with none. */
export const ask = (
  server: Server,
  { url, ...request }: Place,
  authorization: string | null,
): Promise<HttpAnswer> => server.user.http.send(url, { ...request, authorization });

/** Expects none of the places to answer to these credentials. `judge` looks at each refusal. */
export async function expectRefused(
  server: Server,
  authorization: string | null,
  judge: (answer: HttpAnswer) => void = () => undefined,
): Promise<void> {
  for (const place of buildRequests(server)) {
    const answer = await ask(server, place, authorization);
    expect([place.url, answer.status]).toEqual([place.url, unauthenticated(server)]);
    judge(answer);
  }
}

/** Returns the header that says which credentials a server wants (RFC 9110 11.6.1). */
export const readChallenge = ({ headers }: HttpAnswer): string =>
  headers.get('www-authenticate') ?? '';

/** Lists hosts whose requests leave no machine: RFC 8620 1.7 asks for TLS elsewhere. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const securityChecks = serverChecks('1.7', [
  {
    id: 'security-no-credentials',
    level: 'must',
    rule:
      'Without credentials every URL of the session answers an error of the client’s, of which ' +
      'the RFC doesn’t say the status (here 401).',
    run: (server) => expectRefused(server, null),
  },
  {
    id: 'security-wrong-credentials',
    level: 'must',
    rule: 'With a token that is nobody’s it does so, too.',
    /** Adds four letters to the real token, since a server that compares beginnings takes it. */
    async run(server) {
      const { scheme, credentials } = server.user.http;
      // Four letters are text more in base64, too, which is what Basic has; padding ends it.
      for (const wrong of ['unknown', `${credentials.replaceAll('=', '')}xxxx`])
        await expectRefused(server, `${scheme} ${wrong}`);
    },
  },
  {
    id: 'security-malformed-credentials',
    level: 'must',
    rule: 'Credentials that are none are as good as wrong ones.',
    async run(server) {
      for (const authorization of [
        'Bearer',
        'Bearer %%%',
        'nonsense',
        server.user.http.credentials,
      ])
        await expectRefused(server, authorization);
    },
  },
  {
    id: 'security-challenge',
    level: 'must',
    rule: 'A 401 has a WWW-Authenticate header (RFC 9110 11.6.1).',
    run: (server) =>
      expectRefused(server, null, (answer) => {
        if (answer.status === 401) expect(readChallenge(answer)).not.toBe('');
      }),
  },
  {
    id: 'security-no-basic',
    section: '8.2',
    level: 'should',
    rule: 'Basic authentication is not offered.',
    run: (server) =>
      expectRefused(server, null, (answer) =>
        expect(readChallenge(answer)).not.toMatch(/(^|,\s*)basic\b/i),
      ),
  },
  {
    id: 'security-scheme-case',
    level: 'must',
    rule: 'The name of the scheme is taken in any letter case (RFC 9110 11.1).',
    async run(server) {
      const { scheme: own, credentials } = server.user.http;
      for (const scheme of [own, own.toLowerCase(), own.toUpperCase()]) {
        const { url } = server.user.session;
        const { status } = await ask(server, { url }, `${scheme} ${credentials}`);
        expect([scheme, status]).toEqual([scheme, 200]);
      }
    },
  },
  {
    id: 'security-https',
    section: '8.1',
    level: 'must',
    rule: 'The URLs of the session are https; http is for the loopback interface at most.',
    async run(server) {
      const session = await server.user.readSession();
      for (const name of ['apiUrl', 'downloadUrl', 'uploadUrl', 'eventSourceUrl']) {
        const { protocol, hostname } = new URL(session.expand(name));
        expect([name, protocol === 'https:' || LOOPBACK.has(hostname)]).toEqual([name, true]);
      }
    },
  },
]);
