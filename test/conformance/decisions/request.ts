import { gzipSync } from 'node:zlib';
import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  answered,
  ECHO,
  JSON_TYPE,
  OTHER_TYPES,
  post,
  send,
  TEXT,
} from '../../../conform/src/checks/request.js';
import { readApiAnswer, refused } from '../../../conform/src/refusal.js';
import { CORE } from '../../../conform/src/subject/user.js';

const ofErrors = serverChecks('3.6.1', [
  {
    id: 'request-unknown-capability-named',
    level: 'must',
    rule: 'The detail names the capability that is unknown.',
    async run(server) {
      const answer = await send(server, { ...ECHO, using: ['urn:example:unknown', CORE] });
      const detail = answer.kind === 'problem' ? answer.problem['detail'] : null;
      expect(detail).toContain('urn:example:unknown');
      expect(detail).not.toContain(CORE);
    },
  },
]);

const ofEnvelopes = serverChecks('3.3', [
  {
    id: 'request-using-none',
    level: 'must',
    rule: 'An empty `using` is processed: every method is unknown, Core/echo too.',
    async run(server) {
      const client = server.user.buildClient().with([]);
      expect(await client.call('Core/echo', {})).toEqual(server.matchError('unknownMethod'));
      expect(await client.call('Blob/copy', {})).toEqual(server.matchError('unknownMethod'));
    },
  },
  {
    id: 'request-verbs',
    section: '3.1',
    level: 'must',
    rule: 'API requests are posted: another verb is 405, with POST in Allow.',
    transport: 'http',
    async run(server) {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        const { status, headers } = await post(server, { method });
        expect([method, status]).toEqual([method, 405]);
        expect(headers.get('allow')?.split(/, */)).toContain('POST');
      }
    },
  },
  {
    id: 'request-other-type-not-json',
    section: '3.6.1',
    level: 'must',
    rule:
      'A request whose Content-Type is another than application/json is notJSON, and so is one ' +
      'without.',
    transport: 'http',
    async run(server) {
      for (const type of OTHER_TYPES) {
        const answer = await post(server, { headers: { 'content-type': type }, body: TEXT });
        expect([type, readApiAnswer(answer)]).toEqual([type, refused(server, 'notJSON')]);
      }
      const bare = await post(server, { body: TEXT });
      expect(readApiAnswer(bare)).toEqual(refused(server, 'notJSON'));
    },
  },
  {
    id: 'request-content-encoding',
    section: '3.1',
    level: 'must',
    rule: 'A compressed request is decoded, or refused with 415.',
    transport: 'http',
    async run(server) {
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
      const answer = await post(server, { headers, body: gzipSync(TEXT) });
      if (answer.status === 200) expect(readApiAnswer(answer)).toEqual(answered);
      else expect(answer.status).toBe(415);
    },
  },
]);

export const requestDecisions = Object.freeze([...ofEnvelopes, ...ofErrors]);
