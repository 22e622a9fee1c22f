import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  ask,
  buildRequests,
  expectRefused,
  readChallenge,
} from '../../../conform/src/checks/security.js';
import { asMap } from '../../../conform/src/client/json.js';

export const securityDecisions = serverChecks('1.7', [
  {
    id: 'security-challenge-bearer',
    level: 'must',
    rule:
      'The challenge is Bearer with the realm jmap, and error="invalid_token" where a token was ' +
      'sent; the body is a problem.',
    async run(server) {
      await expectRefused(server, null, (answer) => {
        expect(readChallenge(answer)).toBe('Bearer realm="jmap"');
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
        expect(asMap(answer.json)['status']).toBe(401);
      });
      await expectRefused(server, 'Bearer unknown', (answer) =>
        expect(readChallenge(answer)).toMatch(/^Bearer realm="jmap", ?error="invalid_token"/),
      );
    },
  },
  {
    id: 'security-same-refusal',
    level: 'must',
    rule: 'A client without credentials is not told which accounts there are.',
    async run(server) {
      const { session } = server.user;
      const refusal = async (accountId: string): Promise<unknown> => {
        const url = session.expand('uploadUrl', { accountId });
        const { status, text } = await ask(server, { url, method: 'POST', body: 'x' }, null);
        return [status, text.replaceAll(accountId, '-')];
      };
      const [mine = 'a'] = Object.keys(session.accounts);
      expect(await refusal(mine)).toEqual(await refusal(server.unknownAccount));
    },
  },
  {
    id: 'security-two-headers',
    level: 'must',
    rule: 'Two Authorization headers are 400, also where they are equal.',
    async run(server) {
      const { authorization: own } = server.user.http;
      for (const second of ['Bearer other', own]) {
        const authorization = [own, second];
        const { status } = await server.user.http.send(server.user.session.url, {
          headers: { authorization },
        });
        expect(status).toBe(400);
      }
    },
  },
  {
    id: 'security-preflight',
    level: 'must',
    rule: "A browser's preflight of any of the URLs is answered without credentials.",
    transport: 'http',
    async run(server) {
      for (const { url, method = 'GET' } of buildRequests(server)) {
        const headers = {
          origin: 'https://app.example.com',
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization, content-type',
        };
        const answer = await ask(server, { url, method: 'OPTIONS', headers }, null);
        expect([url, [200, 204].includes(answer.status)]).toEqual([url, true]);
      }
    },
  },
]);
