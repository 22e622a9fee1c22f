import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import { listAccounts, read } from '../../../conform/src/checks/session.js';
import { asMap } from '../../../conform/src/client/json.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { CORE } from '../../../conform/src/subject/user.js';

export const sessionDecisions = serverChecks('2', [
  {
    id: 'session-collations',
    level: 'must',
    rule: 'The collations are i;unicode-casemap, i;ascii-casemap, i;ascii-numeric and i;octet.',
    async run(server) {
      const core = asMap((await read(server)).capabilities[CORE]);
      expect(core['collationAlgorithms']).toEqual(
        sameMembers(['i;ascii-casemap', 'i;ascii-numeric', 'i;octet', 'i;unicode-casemap']),
      );
    },
  },
  {
    id: 'session-primary-first',
    level: 'must',
    rule:
      "Every capability that one of the user's own accounts offers has a primary account, which " +
      'is the first of them.',
    async run(server) {
      const session = await read(server);
      const primary = asMap(session.object['primaryAccounts']);
      for (const [, { accountCapabilities }] of listAccounts(session))
        for (const uri of Object.keys(asMap(accountCapabilities)).filter((one) => one !== CORE)) {
          const own = listAccounts(session).filter(
            ([, one]) => one['isPersonal'] === true && uri in asMap(one['accountCapabilities']),
          );
          if (own.length > 0) expect([uri, primary[uri]]).toEqual([uri, own[0]?.[0]]);
        }
    },
  },
  {
    id: 'session-cache-header',
    level: 'must',
    rule: 'The session has Cache-Control: no-cache, no-store, must-revalidate, and no ETag.',
    async run(server) {
      const { headers } = await server.user.http.send(server.user.session.url);
      expect(headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
      expect(headers.get('etag')).toBeNull();
    },
  },
  {
    id: 'session-verbs',
    level: 'must',
    rule: 'HEAD of the session works; a verb that changes something is 405, with GET in Allow.',
    transport: 'http',
    async run(server) {
      const { url } = server.user.session;
      const head = await server.user.http.send(url, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { status, headers } = await server.user.http.send(url, { method });
        expect([method, status]).toEqual([method, 405]);
        expect(headers.get('allow')?.split(/, */)).toContain('GET');
      }
    },
  },
]);
