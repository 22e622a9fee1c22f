import { createHash } from 'node:crypto';
import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { BLOB } from '../subject/user.js';
import {
  BROKEN,
  buildBase64,
  buildClient,
  buildText,
  createBlob,
  dropNulls,
  FOX,
  findAccount,
  getBlobs,
  listBlobs,
  METHODS,
  readCapability,
  readNames,
} from './blob-client.js';

/** RFC 9404 4.2: blobs read by method calls, whole or in parts. */

/** Names of the registry of RFC 3230 that are computed here, too. */
const DIGESTS: Readonly<Record<string, string>> = Object.freeze({
  md5: 'md5',
  sha: 'sha1',
  'sha-256': 'sha256',
  'sha-512': 'sha512',
});

const JOINT = 'The q';

export const blobGetMethodChecks = serverChecks(
  '4.2',
  [
    {
      ...METHODS,
      id: 'blob-method-get',
      level: 'must',
      rule: 'Where no properties are named a blob is told as text with its size.',
      /**
       * Compares the whole entry: a server that adds members that nobody asked for fails here (RFC
       * 9404 4.2).
       */
      async run(server) {
        const id = await createBlob(server, buildText(FOX));
        expect(await listBlobs(server, [id])).toEqual([{ id, 'data:asText': FOX, size: 45 }]);
        expect((await getBlobs(server, { ids: [id] }))['accountId']).toBe(findAccount(server));
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-uploaded',
      level: 'must',
      rule: 'A blob that was uploaded over HTTP is read like any other.',
      /**
       * Uploads by the upload URL (RFC 8620 6.1) and reads by Blob/get, since a server may keep
       * both kinds of blobs in different stores.
       */
      async run(server) {
        const id = await server.user.uploadBlob(findAccount(server), 'Å 🦊', 'image/png');
        const properties = ['data:asText', 'data:asBase64', 'size'];
        expect(await listBlobs(server, [id], { properties })).toEqual([
          { id, 'data:asText': 'Å 🦊', 'data:asBase64': 'w4Ug8J+mig==', size: 7 },
        ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-base64',
      level: 'must',
      rule:
        'data:asBase64 is the base64 of the octets in range, with its padding; it is told alone ' +
        'where it is asked for alone.',
      /**
       * Reads two octets out of the middle, where a server that encodes before it cuts answers
       * other characters.
       */
      async run(server) {
        const id = await createBlob(server, buildText(FOX));
        const properties = ['data:asBase64'];
        expect(await listBlobs(server, [id], { properties })).toEqual([
          { id, 'data:asBase64': Buffer.from(FOX).toString('base64') },
        ]);
        expect(await listBlobs(server, [id], { properties, offset: 4, length: 2 })).toEqual([
          { id, 'data:asBase64': 'cXU=' },
        ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-encoding',
      level: 'must',
      rule:
        'Octets that are no UTF-8 are an encoding problem: data:asText is null, and data gives ' +
        'base64 in its place.',
      /**
       * Asks in three ways, because RFC 9404 4.2 treats data, data:asText and data:asBase64
       * differently where octets are no UTF-8.
       */
      async run(server) {
        const id = await createBlob(server, buildBase64(BROKEN));
        const [whole = {}] = await listBlobs(server, [id], { properties: ['data', 'size'] });
        expect(dropNulls(whole)).toEqual({
          id,
          isEncodingProblem: true,
          'data:asBase64': BROKEN,
          size: 43,
        });
        expect(await listBlobs(server, [id], { properties: ['data:asText', 'size'] })).toEqual([
          { id, 'data:asText': null, isEncodingProblem: true, size: 43 },
        ]);
        expect(await listBlobs(server, [id], { properties: ['data:asBase64', 'size'] })).toEqual([
          { id, 'data:asBase64': BROKEN, size: 43 },
        ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-range',
      level: 'must',
      rule:
        'offset and length choose octets; size stays that of the whole, and octets outside the ' +
        'range are no problem.',
      /**
       * Puts the broken octets outside the range. A server that decodes the whole blob reports an
       * encoding problem that the range doesn't have.
       */
      async run(server) {
        const ids = [
          await createBlob(server, buildBase64(BROKEN)),
          await createBlob(server, buildText('hello world')),
        ];
        const [b1 = '', b2 = ''] = ids;
        expect(await listBlobs(server, ids, { offset: 0, length: 5 })).toEqual([
          { id: b1, 'data:asText': JOINT, size: 43 },
          { id: b2, 'data:asText': 'hello', size: 11 },
        ]);
        expect(await listBlobs(server, [b2], { offset: 6 })).toEqual([
          { id: b2, 'data:asText': 'world', size: 11 },
        ]);
        expect(await listBlobs(server, [b2], { offset: null, length: 0 })).toEqual([
          { id: b2, 'data:asText': '', size: 11 },
        ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-cut-character',
      level: 'must',
      rule: 'A range that cuts a character in two is an encoding problem.',
      /** Cuts the three octets of a euro sign after the first one, then reads exactly the three. */
      async run(server) {
        const id = await createBlob(server, buildText('a€b'));
        const properties = ['data:asText'];
        expect(await listBlobs(server, [id], { properties, offset: 0, length: 2 })).toEqual([
          { id, 'data:asText': null, isEncodingProblem: true },
        ]);
        expect(await listBlobs(server, [id], { properties, offset: 1, length: 3 })).toEqual([
          { id, 'data:asText': '€' },
        ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-truncated',
      level: 'must',
      rule:
        'A range that goes beyond the blob is truncated, and what is there of it told; without a ' +
        'length only an offset beyond the end is.',
      /**
       * Tries ranges that end at the last octet and one behind it, so that an error by one shows.
       */
      async run(server) {
        const id = await createBlob(server, buildText('0123456789'));
        for (const [range, data, isTruncated] of [
          [{ offset: 4, length: 6 }, '456789', false],
          [{ offset: 4, length: 7 }, '456789', true],
          [{ offset: 20, length: 100 }, '', true],
          [{ length: 11 }, '0123456789', true],
          [{ offset: 4 }, '456789', false],
          [{ offset: 10 }, '', false],
          [{ offset: 11 }, '', true],
        ] as const)
          expect([range, ...(await listBlobs(server, [id], range))]).toEqual([
            range,
            { id, 'data:asText': data, size: 10, ...(isTruncated ? { isTruncated } : {}) },
          ]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-digests',
      level: 'must',
      rule:
        'A digest is that of the octets in range, in base64, by each of ' +
        'supportedDigestAlgorithms.',
      /**
       * Computes each digest with Node beside the server's. Throws NotApplicable where no algorithm
       * of the server is known here.
       */
      async run(server) {
        const told = readNames(readCapability(server)['supportedDigestAlgorithms']);
        const known = told.filter((name) => Object.hasOwn(DIGESTS, name));
        if (known.length === 0)
          throw new NotApplicable(
            `None of ${Object.keys(DIGESTS).join(', ')} is in supportedDigestAlgorithms.`,
          );
        const id = await createBlob(server, buildText(FOX));
        const properties = known.map((name) => `digest:${name}`);
        for (const [range, part] of [
          [{}, FOX],
          [{ offset: 4, length: 9 }, 'quick bro'],
          [{ length: 0 }, ''],
          [{ offset: 41, length: 100 }, 'dog.'],
        ] as const) {
          const [one = {}] = await listBlobs(server, [id], { properties, ...range });
          const expected = known.map((name) => {
            const hash = createHash(DIGESTS[name] ?? name);
            return [`digest:${name}`, hash.update(part).digest('base64')] as const;
          });
          const { isTruncated: _, ...rest } = one;
          expect(rest).toEqual({ id, ...Object.fromEntries(expected) });
        }
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-not-found',
      level: 'must',
      rule: 'A blob that is not there, or is another user’s, is in notFound; each id is told once.',
      /**
       * Asks twice for an id that is there and for one that isn't. The set semantics of ids hold
       * for both lists (RFC 8620 5.1).
       */
      async run(server) {
        const { accountId, user } = server.findForeign(BLOB);
        const theirs = await user.uploadBlob(accountId, 'theirs', 'text/plain');
        const id = await createBlob(server, buildText('x'));
        const ids = [id, 'b-nothing', theirs, id, 'b-nothing'];
        const { list, notFound } = await getBlobs(server, { ids, properties: ['size'] });
        expect((list as unknown[]).map((one) => asMap(one as never)['id'])).toEqual([id]);
        expect([...readNames(notFound)].sort()).toEqual(['b-nothing', theirs].sort());
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-uploader-alone',
      level: 'must',
      rule:
        'A blob that another user uploaded to a shared account, and that nothing refers to, is ' +
        'notFound.',
      /**
       * Uploads as another user to an account that both reach. Until an object refers to the blob,
       * it is its uploader's alone (RFC 8620 6.1).
       */
      async run(server) {
        const accountId = server.findReadOnly(BLOB);
        const id = await server
          .findWriter(accountId)
          .uploadBlob(accountId, 'private', 'text/plain');
        const { list, notFound } = await buildClient(server).ok('Blob/get', {
          accountId,
          ids: [id],
        });
        expect([list, notFound]).toEqual([[], [id]]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-get-unknown-account',
      level: 'must',
      rule: 'An account that is nobody’s is accountNotFound.',
      async run(server) {
        const args = { accountId: server.unknownAccount, ids: [] };
        expect(await buildClient(server).call('Blob/get', args)).toEqual(
          server.matchError('accountNotFound'),
        );
      },
    },
  ],
  'RFC 9404',
);
