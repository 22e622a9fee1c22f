import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type JsonMap } from '../client/json.js';
import { ID } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import type { Server } from '../subject/server.js';
import {
  drawOctets,
  findBlobAccount,
  findBlobCapability,
  HTTP,
  isRefusal,
} from './blob-accounts.js';

/** RFC 8620 6.1: octets go to the upload URL as they are. */

/** Larger uploads are not sent to somebody else's server. */
const MOST = 2_000_000;

/** Uploads a body, expects success, and returns the answer. */
export async function uploadBody(
  server: Server,
  body: string | Uint8Array,
  type: string,
): Promise<JsonMap> {
  const { status, json } = await server.user.upload(findBlobAccount(server), body, type);
  // Either status says that it was done (RFC 9110 15.3).
  expect([200, 201]).toContain(status);
  return asMap(json);
}

/** Expects a blob to hold exactly these octets. */
async function expectOctets(
  server: Server,
  blobId: unknown,
  body: string | Uint8Array,
): Promise<void> {
  const { status, octets } = await server.user.download(findBlobAccount(server), String(blobId));
  expect(status).toBe(200);
  expect(octets.equals(Buffer.from(body))).toBe(true);
}

/** Bodies that a server might be tempted to read, none of them whole. */
const TEMPTING: readonly (readonly [type: string, body: string])[] = [
  ['application/json', '{"a":1,"a":2'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n--x--',
  ],
  ['application/x-www-form-urlencoded', 'a=1&b=%zz'],
  ['text/plain; charset=utf-8', '\ufeffÅ\r\n\n\0'],
];

export const uploadChecks = serverChecks('6.1', [
  {
    ...HTTP,
    id: 'blob-upload-response',
    level: 'must',
    rule:
      'An upload is answered with one JSON object: the account of the URL, a blobId that is an ' +
      'Id, the type that was sent and the size in octets.',
    /**
     * Draws random octets of three sizes from the run's seed, the last one beyond what fits into
     * one packet.
     */
    async run(server) {
      const accountId = findBlobAccount(server);
      for (const [type, size] of [
        ['text/x-conform', 5],
        ['image/png', 1000],
        ['application/octet-stream', 70_000],
      ] as const) {
        const answer = await server.user.upload(accountId, drawOctets(server, size), type);
        expect([200, 201]).toContain(answer.status);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
        const { blobId, ...rest } = asMap(answer.json);
        expect(blobId).toMatch(ID);
        expect(rest).toEqual(expect.objectContaining({ accountId, type, size }));
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-raw',
    level: 'must',
    rule: 'Any content is taken as it is, whatever its type says: JSON and forms are not read.',
    async run(server) {
      for (const [type, body] of TEMPTING) {
        const { blobId, size } = await uploadBody(server, body, type);
        expect([type, size]).toEqual([type, Buffer.byteLength(body)]);
        await expectOctets(server, blobId, body);
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-empty',
    level: 'must',
    rule: 'No octets at all are a blob of size 0.',
    async run(server) {
      const { blobId, size } = await uploadBody(server, '', 'text/plain');
      expect(size).toBe(0);
      await expectOctets(server, blobId, '');
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-chunked',
    level: 'must',
    rule: 'An upload whose length is not told beforehand is taken as well (RFC 9112 7.1).',
    async run(server) {
      const accountId = findBlobAccount(server);
      const body = drawOctets(server, 3000);
      const answer = await server.user.http.send(
        server.user.session.expand('uploadUrl', { accountId }),
        { method: 'POST', headers: { 'content-type': 'text/x-conform' }, body, chunked: true },
      );
      const { blobId, size } = asMap(answer.json);
      expect([200, 201]).toContain(answer.status);
      expect(size).toBe(3000);
      await expectOctets(server, blobId, body);
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-same-content',
    level: 'must',
    rule:
      'The same octets uploaded under two types are each answered with their own type, and both ' +
      'ids hold them.',
    async run(server) {
      for (const type of ['text/plain', 'text/css']) {
        const answer = await uploadBody(server, 'same octets', type);
        expect(answer['type']).toBe(type);
        await expectOctets(server, answer['blobId'], 'same octets');
      }
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-immutable',
    section: '6',
    level: 'must',
    rule: 'A blob id stands for the same octets, whatever else is uploaded.',
    async run(server) {
      const { blobId: first } = await uploadBody(server, 'first', 'text/plain');
      const { blobId: second } = await uploadBody(server, 'other', 'text/plain');
      expect(second).not.toBe(first);
      await expectOctets(server, second, 'other');
      await expectOctets(server, first, 'first');
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-size',
    level: 'must',
    rule: 'maxSizeUpload octets are taken, one more is not.',
    /**
     * Sends filled buffers of the exact limit and one octet more. Throws NotApplicable above MOST
     * octets.
     */
    async run(server) {
      const most = (await server.user.readSession()).readLimit('maxSizeUpload');
      if (most > MOST)
        throw new NotApplicable(`maxSizeUpload is ${most}: more than ${MOST} octets are not sent.`);
      const accountId = findBlobAccount(server);
      const { size } = await uploadBody(server, Buffer.alloc(most, 'x'), 'text/plain');
      expect(size).toBe(most);
      const more = await server.user.upload(accountId, Buffer.alloc(most + 1, 'x'), 'text/plain');
      expect(isRefusal(more)).toBe(true);
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-unknown-account',
    level: 'must',
    rule: 'Nothing can be uploaded to an account that is nobody’s.',
    async run(server) {
      expect(isRefusal(await server.user.upload(server.unknownAccount, 'x', 'text/plain'))).toBe(
        true,
      );
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-foreign-account',
    level: 'must',
    rule: 'Nothing can be uploaded to an account that the user doesn’t reach.',
    async run(server) {
      const { accountId } = server.findForeign(findBlobCapability(server));
      expect(isRefusal(await server.user.upload(accountId, 'x', 'text/plain'))).toBe(true);
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-read-only-account',
    level: 'must',
    rule: 'Nothing can be uploaded to an account that the user may only read.',
    async run(server) {
      const accountId = server.findReadOnly(findBlobCapability(server));
      const answer = await server.user.upload(accountId, 'x', 'text/plain');
      expect(isRefusal(answer)).toBe(true);
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-problem',
    level: 'should',
    rule: 'An upload that is refused has a problem details object (RFC 9457).',
    async run(server) {
      const { status, headers, json } = await server.user.upload(
        server.unknownAccount,
        'x',
        'text/plain',
      );
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      // RFC 9457 3.1: members may be left out; where the status is told it is that of the answer.
      expect([status, undefined]).toContain(asMap(json)['status']);
    },
  },
  {
    ...HTTP,
    id: 'blob-upload-uploader-alone',
    level: 'must',
    rule:
      'A blob that nothing refers to is there for its uploader alone, in an account that others ' +
      'share as well.',
    /** Downloads as the uploader first, to show that the blob is there at all. */
    async run(server) {
      const accountId = server.findReadOnly(findBlobCapability(server));
      const writer = server.findWriter(accountId);
      const blobId = await writer.uploadBlob(accountId, 'private', 'text/plain');
      expect((await writer.download(accountId, blobId)).text).toBe('private');
      const answer = await server.user.download(accountId, blobId);
      expect(isRefusal(answer)).toBe(true);
      expect(answer.text).not.toContain('private');
    },
  },
]);
