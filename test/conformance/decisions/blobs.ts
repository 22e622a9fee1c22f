import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  findBlobAccount,
  findBlobCapability,
  HTTP,
} from '../../../conform/src/checks/blob-accounts.js';
import { uploadBody } from '../../../conform/src/checks/blobs.js';
import { asMap } from '../../../conform/src/client/json.js';
import { serverId } from '../../../conform/src/expected.js';

export const uploadDecisions = serverChecks('6.1', [
  {
    ...HTTP,
    id: 'blob-upload-exact-response',
    level: 'must',
    rule: 'The status is 200, and the object has those four members alone.',
    async run(server) {
      const accountId = findBlobAccount(server);
      const { status, json } = await server.user.upload(accountId, 'hello', 'text/x-test');
      expect(status).toBe(200);
      expect(json).toEqual({ accountId, blobId: serverId, type: 'text/x-test', size: 5 });
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-types',
    level: 'must',
    rule:
      'A type keeps its parameters; where none is sent, or what is none, it is ' +
      'application/octet-stream.',
    async run(server) {
      const typed = async (type: string) => (await uploadBody(server, 'x', type))['type'];
      expect(await typed('text/html; charset=utf-8')).toMatch(/^text\/html; ?charset="?utf-8"?$/);
      for (const type of ['nonsense', 'a/b/c', 'text/'])
        expect([type, await typed(type)]).toEqual([type, 'application/octet-stream']);
      const url = server.user.session.expand('uploadUrl', { accountId: findBlobAccount(server) });
      const { json } = await server.user.http.send(url, { method: 'POST', body: 'x' });
      expect(asMap(json)['type']).toBe('application/octet-stream');
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-verbs',
    level: 'must',
    rule: 'Any verb but POST is 405 with Allow.',
    async run(server) {
      const url = server.user.session.expand('uploadUrl', { accountId: findBlobAccount(server) });
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, headers } = await server.user.http.send(url, { method });
        expect([method, status]).toEqual([method, 405]);
        expect(headers.get('allow')).toMatch(/\bPOST\b/);
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-refusals-alike',
    level: 'must',
    rule: 'An account out of reach is 404 as an unknown one is, a read-only one is 403.',
    async run(server) {
      const upload = (id: string) => server.user.upload(id, 'x', 'text/plain');
      const { accountId } = server.findForeign(findBlobCapability(server));
      const [theirs, nobodys] = [await upload(accountId), await upload(server.unknownAccount)];
      expect([theirs.status, nobodys.status]).toEqual([404, 404]);
      expect(theirs.text.replaceAll(accountId, '-')).toBe(
        nobodys.text.replaceAll(server.unknownAccount, '-'),
      );
      expect((await upload(server.findReadOnly(findBlobCapability(server)))).status).toBe(403);
    },
  },
]);
