import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import type { Server } from '../subject/server.js';
import {
  findBlobAccount,
  findBlobAccounts,
  findBlobCapability,
  findSecondBlobAccount,
  needBlobs,
} from './blob-accounts.js';

/** RFC 8620 6.3: octets go from one account to another by a method of core. */

/** Needs two accounts that have blobs: one to copy from, and one to copy to. */
export const TWO = {
  applies: (server: Server): string | null =>
    needBlobs(server) ??
    (findBlobAccounts(server).length > 1 ? null : 'The token reaches no second writable account.'),
} as const;

export const ONE = { applies: needBlobs } as const;

/** Uploads a text to the first account with blobs and returns its blobId. */
export const uploadText = (server: Server, text: string) =>
  server.user.uploadBlob(findBlobAccount(server), text, 'text/x-copied');

/**
 * Calls Blob/copy from the first account with blobs. Returns the name and the arguments of the
 * response.
 */
export const call = (server: Server, args: object): Promise<[string, JsonMap]> =>
  server.user.buildClient().call('Blob/copy', { fromAccountId: findBlobAccount(server), ...args });

/** Describes the answer of a Blob/copy (RFC 8620 6.3). */
export interface Copied {
  readonly fromAccountId: string;
  readonly accountId: string;
  readonly copied: JsonMap | null;
  readonly notCopied: JsonMap | null;
}

/**
 * Copies blobs between the first two accounts, which must succeed. A member that is null may be
 * left out (RFC 8620 3.5).
 */
export async function copy(server: Server, ...blobIds: readonly string[]): Promise<Copied> {
  const [name, answer] = await call(server, { accountId: findSecondBlobAccount(server), blobIds });
  expect(name).toBe('Blob/copy');
  return { copied: null, notCopied: null, ...answer } as unknown as Copied;
}

const NOT_FOUND = expect.objectContaining({ type: 'notFound' });

export const blobCopyChecks = serverChecks('6.3', [
  {
    ...TWO,
    id: 'blob-copy',
    level: 'must',
    rule:
      'A blob is copied: both accounts are named, copied maps its id to that in the other ' +
      'account, where the same octets are, and the original stays.',
    async run(server) {
      const [from, to] = [findBlobAccount(server), findSecondBlobAccount(server)];
      const [one, two] = [await uploadText(server, 'to copy'), await uploadText(server, 'as well')];
      const { fromAccountId, accountId, copied, notCopied } = await copy(server, one, two);
      expect([fromAccountId, accountId]).toEqual([from, to]);
      expect(Object.keys(asMap(copied)).sort()).toEqual([one, two].sort());
      expect(notCopied).toBeNull();
      for (const [blobId, text] of [
        [one, 'to copy'],
        [two, 'as well'],
      ] as const) {
        const there = await server.user.download(to, String(asMap(copied)[blobId]));
        expect([there.status, there.text]).toEqual([200, text]);
        expect((await server.user.download(from, blobId)).text).toBe(text);
      }
    },
  },
  {
    ...TWO,
    id: 'blob-copy-not-found',
    level: 'must',
    rule:
      'A blob that is not there is in notCopied as notFound, and hinders no other; copied is ' +
      'null where nothing was copied.',
    async run(server) {
      const blobId = await uploadText(server, 'beside');
      const some = await copy(server, 'b-nothing', blobId);
      expect(Object.keys(asMap(some.copied))).toEqual([blobId]);
      expect(some.notCopied).toEqual({ 'b-nothing': NOT_FOUND });
      const none = await copy(server, 'b-nothing');
      expect([none.copied, none.notCopied]).toEqual([null, { 'b-nothing': NOT_FOUND }]);
    },
  },
  {
    ...TWO,
    id: 'blob-copy-none',
    level: 'must',
    rule: 'Of no blobs at all both members are null.',
    async run(server) {
      const { copied, notCopied } = await copy(server);
      expect([copied, notCopied]).toEqual([null, null]);
    },
  },
  {
    ...TWO,
    id: 'blob-copy-twice',
    level: 'must',
    rule: 'A blob that is named twice is there once.',
    async run(server) {
      const blobId = await uploadText(server, 'twice');
      const { copied, notCopied } = await copy(server, blobId, 'b-nothing', blobId, 'b-nothing');
      expect(Object.keys(asMap(copied))).toEqual([blobId]);
      expect(Object.keys(asMap(notCopied))).toEqual(['b-nothing']);
    },
  },
  {
    ...ONE,
    id: 'blob-copy-from-account-not-found',
    level: 'must',
    rule: 'A fromAccountId that is nobody’s is fromAccountNotFound.',
    async run(server) {
      const args = { fromAccountId: server.unknownAccount, accountId: findBlobAccount(server) };
      const answer = await call(server, { ...args, blobIds: ['b-nothing'] });
      expect(answer).toEqual(server.matchError('fromAccountNotFound'));
    },
  },
  {
    ...ONE,
    id: 'blob-copy-account-not-found',
    level: 'must',
    rule: 'An accountId that is nobody’s is accountNotFound.',
    async run(server) {
      const args = { accountId: server.unknownAccount, blobIds: [await uploadText(server, 'x')] };
      expect(await call(server, args)).toEqual(server.matchError('accountNotFound'));
    },
  },
  {
    ...ONE,
    id: 'blob-copy-foreign-account',
    level: 'must',
    rule: 'Another user’s account is as unknown as one that is nobody’s, on either side.',
    async run(server) {
      const { accountId, user } = server.findForeign(findBlobCapability(server));
      const blobIds = [await user.uploadBlob(accountId, 'theirs', 'text/plain')];
      expect(
        await call(server, {
          fromAccountId: accountId,
          accountId: findBlobAccount(server),
          blobIds,
        }),
      ).toEqual(server.matchError('fromAccountNotFound'));
      expect(await call(server, { accountId, blobIds: [await uploadText(server, 'x')] })).toEqual(
        server.matchError('accountNotFound'),
      );
    },
  },
  {
    ...ONE,
    id: 'blob-copy-read-only',
    level: 'must',
    rule: 'Into an account that the user may only read nothing is copied: accountReadOnly.',
    async run(server) {
      const accountId = server.findReadOnly(findBlobCapability(server));
      const blobIds = [await uploadText(server, 'x')];
      expect(await call(server, { accountId, blobIds })).toEqual(
        server.matchError('accountReadOnly'),
      );
    },
  },
  {
    ...ONE,
    id: 'blob-copy-uploader-alone',
    section: '6.1',
    level: 'must',
    rule:
      'A blob that another user uploaded to a shared account, and that nothing refers to, is not ' +
      'there to be copied.',
    async run(server) {
      const fromAccountId = server.findReadOnly(findBlobCapability(server));
      const blobId = await server
        .findWriter(fromAccountId)
        .uploadBlob(fromAccountId, 'private', 'text/plain');
      const [, answer] = await call(server, {
        fromAccountId,
        accountId: findBlobAccount(server),
        blobIds: [blobId],
      });
      expect(answer['copied'] ?? null).toBeNull();
      expect(answer['notCopied']).toEqual({ [blobId]: NOT_FOUND });
    },
  },
  {
    ...TWO,
    id: 'blob-copy-arguments-required',
    level: 'must',
    rule:
      'fromAccountId, accountId and blobIds are all required: a call without one of them, or ' +
      'with another type of value, is invalidArguments.',
    async run(server) {
      const good = { accountId: findSecondBlobAccount(server), blobIds: [] };
      for (const name of ['fromAccountId', 'accountId', 'blobIds'])
        for (const value of [undefined, 5, {}])
          expect([name, value, await call(server, { ...good, [name]: value })]).toEqual([
            name,
            value,
            server.matchError('invalidArguments'),
          ]);
    },
  },
]);
