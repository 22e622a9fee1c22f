import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { findAnswer } from '../client/answers.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { BLOB } from '../subject/user.js';
import {
  buildBase64,
  buildClient,
  buildText,
  FOX,
  findAccount,
  METHODS,
  readCapability,
  readOctets,
  sortKeys,
  upload,
} from './blob-client.js';

/** RFC 9404 3.1 and 4.1: how calls refer to new blobs, and which limits and accounts they have. */

/** A blob is sent of a 64th of it. */
const MOST_OCTETS = 300_000_000;

export const blobUploadCallChecks = serverChecks(
  '4.1',
  [
    {
      ...METHODS,
      id: 'blob-method-upload-creation-ids',
      level: 'must',
      rule: 'The creation id of a blob stands for it in later calls, and is in createdIds.',
      /**
       * Builds the second blob from parts of the first one, by creation id and range, in one
       * request.
       */
      async run(server) {
        const accountId = findAccount(server);
        const parts = [
          buildText('How'),
          { blobId: '#b4', length: 7, offset: 3 },
          buildText('was t'),
          { blobId: '#b4', length: 1, offset: 1 },
          buildBase64('YXQ/'),
        ];
        const response = await buildClient(server).api(
          [
            ['Blob/upload', { accountId, create: { b4: { data: [buildText(FOX)] } } }, 'b'],
            ['Blob/upload', { accountId, create: { cat: { data: parts } } }, 'c'],
          ],
          { createdIds: {} },
        );
        const { id, size } = asMap(asMap(findAnswer(response, 'c')['created'])['cat']);
        expect(size).toBe(19);
        expect(await readOctets(server, String(id))).toBe('How quick was that?');
        const { b4, cat, ...others } = response.createdIds ?? {};
        expect([typeof b4, cat, others]).toEqual(['string', id, {}]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-reference',
      level: 'must',
      rule: 'A result reference to the id that was created resolves.',
      /** Resolves with Core/echo, which has no rules of its own about the value. */
      async run(server) {
        const create = { k: { data: [buildText(FOX)] } };
        const path = '/created/k/id';
        const response = await buildClient(server).api([
          ['Blob/upload', { accountId: findAccount(server), create }, 'u'],
          ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path } }, 'e'],
        ]);
        const { id } = asMap(asMap(findAnswer(response, 'u')['created'])['k']);
        expect(typeof id).toBe('string');
        expect(findAnswer(response, 'e')).toEqual({ id });
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-most-sources',
      level: 'must',
      rule: 'As many sources as maxDataSources says are taken, one more is not.',
      /** Sends both sizes in one call. Throws NotApplicable where the limit is above 5,000. */
      async run(server) {
        const most = Number(readCapability(server)['maxDataSources']);
        if (!(most <= 5000))
          throw new NotApplicable(`maxDataSources is ${most}: too many to send.`);
        const buildSources = (length: number) => Array.from({ length }, () => buildText('x'));
        const { created, notCreated } = await upload(server, {
          most: { data: buildSources(most) },
          more: { data: buildSources(most + 1) },
        });
        expect(asMap(created['most'])['size']).toBe(most);
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([['most'], ['more']]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-octets',
      section: '3.1',
      level: 'must',
      rule:
        'A blob of more octets than maxSizeBlobSet is not made, though each of its sources is ' +
        'smaller; another of the call is.',
      /**
       * Repeats one uploaded part 64 times, so that the request stays small while the blob would be
       * too large.
       */
      async run(server) {
        const most = readCapability(server)['maxSizeBlobSet'];
        if (typeof most !== 'number' || most > MOST_OCTETS)
          throw new NotApplicable(`maxSizeBlobSet is ${String(most)}: too much to send.`);
        const sources = 64;
        const part = 'x'.repeat(Math.floor(most / sources) + 1);
        const blobId = await server.user.uploadBlob(findAccount(server), part, 'text/plain');
        const { created, notCreated } = await upload(server, {
          small: { data: [{ blobId, length: 1 }] },
          large: { data: Array.from({ length: sources }, () => ({ blobId })) },
        });
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([['small'], ['large']]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-unknown-account',
      level: 'must',
      rule: 'An account that is nobody’s is accountNotFound.',
      async run(server) {
        const args = { accountId: server.unknownAccount, create: { k: { data: [] } } };
        const answer = await buildClient(server).call('Blob/upload', args);
        expect(answer).toEqual(server.matchError('accountNotFound'));
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-read-only',
      level: 'must',
      rule: 'An account that the user may only read is accountReadOnly.',
      async run(server) {
        const args = { accountId: server.findReadOnly(BLOB), create: { k: { data: [] } } };
        const answer = await buildClient(server).call('Blob/upload', args);
        expect(answer).toEqual(server.matchError('accountReadOnly'));
      },
    },
  ],
  'RFC 9404',
);
