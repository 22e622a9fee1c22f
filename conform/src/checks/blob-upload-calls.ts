import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { answerTo } from '../client/answers.js';
import { asMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { BLOB } from '../subject/user.js';
import {
  accountOf,
  base64,
  capabilityOf,
  clientOf,
  FOX,
  keys,
  METHODS,
  octetsIn,
  text,
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
        const accountId = accountOf(server);
        const parts = [
          text('How'),
          { blobId: '#b4', length: 7, offset: 3 },
          text('was t'),
          { blobId: '#b4', length: 1, offset: 1 },
          base64('YXQ/'),
        ];
        const response = await clientOf(server).api(
          [
            ['Blob/upload', { accountId, create: { b4: { data: [text(FOX)] } } }, 'b'],
            ['Blob/upload', { accountId, create: { cat: { data: parts } } }, 'c'],
          ],
          { createdIds: {} },
        );
        const { id, size } = asMap(asMap(answerTo(response, 'c')['created'])['cat']);
        expect(size).toBe(19);
        expect(await octetsIn(server, String(id))).toBe('How quick was that?');
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
        const create = { k: { data: [text(FOX)] } };
        const path = '/created/k/id';
        const response = await clientOf(server).api([
          ['Blob/upload', { accountId: accountOf(server), create }, 'u'],
          ['Core/echo', { '#id': { resultOf: 'u', name: 'Blob/upload', path } }, 'e'],
        ]);
        const { id } = asMap(asMap(answerTo(response, 'u')['created'])['k']);
        expect(typeof id).toBe('string');
        expect(answerTo(response, 'e')).toEqual({ id });
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-most-sources',
      level: 'must',
      rule: 'As many sources as maxDataSources says are taken, one more is not.',
      /** Sends both sizes in one call. Throws NotApplicable where the limit is above 5,000. */
      async run(server) {
        const most = Number(capabilityOf(server)['maxDataSources']);
        if (!(most <= 5000))
          throw new NotApplicable(`maxDataSources is ${most}: too many to send.`);
        const sources = (length: number) => Array.from({ length }, () => text('x'));
        const { created, notCreated } = await upload(server, {
          most: { data: sources(most) },
          more: { data: sources(most + 1) },
        });
        expect(asMap(created['most'])['size']).toBe(most);
        expect([keys(created), keys(notCreated)]).toEqual([['most'], ['more']]);
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
        const most = capabilityOf(server)['maxSizeBlobSet'];
        if (typeof most !== 'number' || most > MOST_OCTETS)
          throw new NotApplicable(`maxSizeBlobSet is ${String(most)}: too much to send.`);
        const sources = 64;
        const part = 'x'.repeat(Math.floor(most / sources) + 1);
        const blobId = await server.user.uploaded(accountOf(server), part, 'text/plain');
        const { created, notCreated } = await upload(server, {
          small: { data: [{ blobId, length: 1 }] },
          large: { data: Array.from({ length: sources }, () => ({ blobId })) },
        });
        expect([keys(created), keys(notCreated)]).toEqual([['small'], ['large']]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-unknown-account',
      level: 'must',
      rule: 'An account that is nobody’s is accountNotFound.',
      async run(server) {
        const args = { accountId: server.unknownAccount, create: { k: { data: [] } } };
        const answer = await clientOf(server).call('Blob/upload', args);
        expect(answer).toEqual(server.err('accountNotFound'));
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-read-only',
      level: 'must',
      rule: 'An account that the user may only read is accountReadOnly.',
      async run(server) {
        const args = { accountId: server.readOnly(BLOB), create: { k: { data: [] } } };
        const answer = await clientOf(server).call('Blob/upload', args);
        expect(answer).toEqual(server.err('accountReadOnly'));
      },
    },
  ],
  'RFC 9404',
);
