import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { answerTo } from '../client/answers.js';
import { asMap, type Json, type JsonMap, parsed } from '../client/json.js';
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
  made,
  octetsIn,
  text,
  upload,
} from './blob-client.js';

/** RFC 9404 3.1 and 4.1: what the capability says, and blobs made by method calls. */

/** Tells whether a member of the session is an UnsignedInt. */
const isCount = (value: Json | undefined): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Tells whether a member of the session is a list of strings. */
const isList = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Sources that can't be meant. */
const NONSENSE: Readonly<Record<string, Json>> = Object.freeze({
  none: [{}],
  two: [{ ...text('a'), ...base64('YQ==') }],
  number: [5],
  nothing: [null],
  noText: [{ 'data:asText': 5 }],
  noArray: 'x',
  missing: null,
});

/** Returns creates of Blob/upload, each of one data source, by creation id. */
export const uploads = (data: Readonly<Record<string, Json>>): JsonMap =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, { data: value }]));

/** A blob is sent of a 64th of it. */
const MOST_OCTETS = 300_000_000;

export const blobUploadMethodChecks = serverChecks(
  '4.1',
  [
    {
      ...METHODS,
      id: 'blob-capability',
      section: '3.1',
      level: 'must',
      rule:
        'The session’s capability is an empty object; that of an account has maxSizeBlobSet, ' +
        'maxDataSources of 64 or more, supportedTypeNames and supportedDigestAlgorithms in lower ' +
        'case.',
      /** Reads the session anew, since limits may change while a run goes on. */
      async run(server) {
        const { capabilities, accounts } = await server.user.readSession();
        expect(capabilities[BLOB]).toEqual({});
        const told = asMap(asMap(accounts[accountOf(server)]?.['accountCapabilities'])[BLOB]);
        const { maxSizeBlobSet, maxDataSources, supportedTypeNames } = told;
        expect(maxSizeBlobSet === null || isCount(maxSizeBlobSet)).toBe(true);
        expect([isCount(maxDataSources), Number(maxDataSources) >= 64]).toEqual([true, true]);
        expect(isList(supportedTypeNames)).toBe(true);
        const algorithms = told['supportedDigestAlgorithms'];
        expect(isList(algorithms)).toBe(true);
        expect(algorithms).toEqual((algorithms as string[]).map((one) => one.toLowerCase()));
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-created',
      level: 'must',
      rule:
        'created has an id, the type that was given and the size in octets; the octets can be ' +
        'downloaded.',
      /**
       * Takes a text whose octets outnumber its characters, so that a size in characters is
       * noticed.
       */
      async run(server) {
        const data = [text('straße')];
        const { created, notCreated } = await upload(server, { k: { data, type: 'text/x-made' } });
        expect(notCreated).toEqual({});
        const { id, type, size } = asMap(created['k']);
        expect([typeof id, type, size]).toEqual(['string', 'text/x-made', 7]);
        const answer = await server.user.download(accountOf(server), String(id));
        expect([answer.status, answer.text]).toEqual([200, 'straße']);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-type',
      level: 'must',
      rule: 'Where no type is given, or null, the type that is told is a string or null.',
      /**
       * Accepts null and an absent type: RFC 9404 4.1 lets a server choose where the client says
       * nothing.
       */
      async run(server) {
        const data = [text('x')];
        const { created } = await upload(server, { none: { data }, null: { data, type: null } });
        expect(keys(created)).toEqual(['none', 'null']);
        for (const one of Object.values(created)) {
          const { type } = asMap(one);
          expect(type === undefined || type === null || typeof type === 'string').toBe(true);
        }
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-joined',
      level: 'must',
      rule:
        'Sources are joined in their order, whatever their form; none at all are an ' +
        'empty blob.',
      /**
       * Joins text, base64 and five kinds of ranges. A server that handles sources as text breaks
       * the lone octet 0xff.
       */
      async run(server) {
        const source = await made(server, text('0123456789'));
        const id = await made(
          server,
          text('a€'),
          base64('/w=='),
          text(''),
          { blobId: source, offset: 2, length: 3 },
          { blobId: source, offset: 8 },
          { blobId: source, length: 1 },
          { blobId: source, offset: null, length: null },
          { blobId: source, offset: 10, length: 0 },
          text('b'),
        );
        const octets = Buffer.concat([
          Buffer.from('a€'),
          Buffer.from([0xff]),
          Buffer.from('234890' + '0123456789b'),
        ]);
        expect(await octetsIn(server, id)).toBe(octets.toString('latin1'));
        const { created } = await upload(server, { k: { data: [] } });
        expect(asMap(created['k'])['size']).toBe(0);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-range',
      level: 'must',
      rule:
        'A source that begins or ends beyond its blob, or whose range is no two numbers, is not ' +
        'created.',
      /** Sends the wrong ranges as creates of one call, since each must be refused by itself. */
      async run(server) {
        const blobId = await made(server, text('0123456789'));
        const wrong: readonly JsonMap[] = [
          { offset: 11 },
          { offset: 5, length: 6 },
          { length: 11 },
          { offset: -1 },
          { length: -1 },
          { offset: 0.5 },
          { length: 1.5 },
          { offset: '1' },
        ];
        const create = uploads(
          Object.fromEntries(wrong.map((range, n) => [`k${n}`, [{ blobId, ...range }]])),
        );
        const { created, notCreated } = await upload(server, create);
        expect([keys(created), keys(notCreated)]).toEqual([[], keys(create)]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-sources',
      level: 'must',
      rule:
        'A source has exactly one of its forms: anything else is not created, and hinders no ' +
        'other.',
      /**
       * Puts a good create beside the wrong ones. A server that rejects the whole call for one of
       * them fails here.
       */
      async run(server) {
        const blobId = await made(server, text('x'));
        const create = uploads({ ...NONSENSE, mixed: [{ ...text('a'), blobId }] });
        const good = { data: [text('good')] };
        const { created, notCreated } = await upload(server, { ...create, good });
        expect([keys(created), keys(notCreated)]).toEqual([['good'], keys(create)]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-base64',
      level: 'must',
      rule: 'A create whose data is no base64 is refused.',
      /**
       * Tries padding in the middle and lengths that base64 doesn't have: lenient decoders of many
       * languages skip them silently.
       */
      async run(server) {
        const wrong = ['Y', '!!!!', 'YQ==YQ==', 'YW%j', 'YWJjé'];
        const create = uploads(
          Object.fromEntries(wrong.map((value, n) => [`k${n}`, [base64(value)]])),
        );
        const { created, notCreated } = await upload(server, create);
        expect([keys(created), keys(notCreated)]).toEqual([[], keys(create)]);
      },
    },
    {
      ...METHODS,
      id: 'blob-method-upload-unknown-blob',
      level: 'must',
      rule:
        'A source that is no blob, or one of another user, is not created, and nothing tells ' +
        'which of both it was.',
      /**
       * Compares both errors without their ids. A difference would tell which ids of other users
       * exist (RFC 9404 5).
       */
      async run(server) {
        const { accountId, user } = server.foreign(BLOB);
        const blobId = await user.uploaded(accountId, 'theirs', 'text/plain');
        const { created, notCreated } = await upload(server, {
          a: { data: [{ blobId }] },
          b: { data: [{ blobId: 'b-nothing' }] },
          c: { data: [{ blobId: '#nobody' }] },
        });
        expect([keys(created), keys(notCreated)]).toEqual([[], ['a', 'b', 'c']]);
        const hideIds = (key: string) =>
          parsed(
            JSON.stringify(notCreated[key]).replaceAll(blobId, '-').replaceAll('b-nothing', '-'),
          );
        expect(hideIds('a')).toEqual(hideIds('b'));
      },
    },
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
