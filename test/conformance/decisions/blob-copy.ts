import { expect } from 'expect';
import { serverChecks } from '../../../conform/src/check.js';
import {
  findBlobAccount,
  findSecondBlobAccount,
} from '../../../conform/src/checks/blob-accounts.js';
import { call, copy, ONE, TWO, uploadText } from '../../../conform/src/checks/blob-copy.js';
import { asMap } from '../../../conform/src/client/json.js';
import { textWith } from '../../../conform/src/expected.js';
import { BLOB } from '../../../conform/src/subject/user.js';

export const blobCopyDecisions = serverChecks('6.3', [
  {
    ...TWO,
    id: 'blob-copy-type',
    level: 'must',
    rule: 'A copy keeps the type that its original was uploaded with.',
    async run(server) {
      const blobId = await uploadText(server, 'typed');
      const { copied } = await copy(server, blobId);
      const id = String(asMap(copied)[blobId]);
      const { headers } = await server.user.download(findSecondBlobAccount(server), id, {
        type: '',
      });
      expect(headers.get('content-type')).toBe('text/x-copied');
    },
  },
  {
    ...TWO,
    id: 'blob-copy-arguments',
    level: 'must',
    rule:
      'invalidArguments names the argument that is missing or of another type, and null is no ' +
      'list of ids.',
    async run(server) {
      const good = { accountId: findSecondBlobAccount(server), blobIds: [] };
      for (const blobIds of [undefined, null, 'x', {}, [1]])
        expect(await call(server, { ...good, blobIds })).toEqual(
          server.matchError('invalidArguments', 'blobIds'),
        );
      for (const name of ['accountId', 'fromAccountId'])
        for (const value of [undefined, null, 1])
          expect(await call(server, { ...good, [name]: value })).toEqual([
            'error',
            expect.objectContaining({ type: 'invalidArguments', description: textWith(name) }),
          ]);
    },
  },
  {
    ...ONE,
    id: 'blob-copy-account-without',
    level: 'must',
    rule:
      'An account without the capability of blobs, on either side, is ' +
      'accountNotSupportedByMethod.',
    async run(server) {
      const without = server.findWithout(BLOB);
      const blobIds = [await uploadText(server, 'x')];
      const error = server.matchError('accountNotSupportedByMethod');
      expect(await call(server, { accountId: without, blobIds })).toEqual(error);
      const args = { fromAccountId: without, accountId: findBlobAccount(server), blobIds };
      expect(await call(server, args)).toEqual(error);
    },
  },
]);
