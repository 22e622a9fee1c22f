import { expect } from 'expect';
import { serverChecks } from '../check.js';
import { asMap, type Json, type JsonMap, parseJson } from '../client/json.js';
import { BLOB } from '../subject/user.js';
import {
  buildBase64,
  buildText,
  createBlob,
  findAccount,
  METHODS,
  readOctets,
  sortKeys,
  upload,
} from './blob-client.js';

/** RFC 9404 3.1 and 4.1: what the capability says, and which blobs are made of which sources. */

/** Tells whether a member of the session is an UnsignedInt. */
const isCount = (value: Json | undefined): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Tells whether a member of the session is a list of strings. */
const isList = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Sources that can't be meant. */
const NONSENSE: Readonly<Record<string, Json>> = Object.freeze({
  none: [{}],
  two: [{ ...buildText('a'), ...buildBase64('YQ==') }],
  number: [5],
  nothing: [null],
  noText: [{ 'data:asText': 5 }],
  noArray: 'x',
  missing: null,
});

/** Returns creates of Blob/upload, each of one data source, by creation id. */
export const buildCreates = (data: Readonly<Record<string, Json>>): JsonMap =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, { data: value }]));

export const blobUploadSourceChecks = serverChecks(
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
        const told = asMap(asMap(accounts[findAccount(server)]?.['accountCapabilities'])[BLOB]);
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
        const data = [buildText('straße')];
        const { created, notCreated } = await upload(server, { k: { data, type: 'text/x-made' } });
        expect(notCreated).toEqual({});
        const { id, type, size } = asMap(created['k']);
        expect([typeof id, type, size]).toEqual(['string', 'text/x-made', 7]);
        const answer = await server.user.download(findAccount(server), String(id));
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
        const data = [buildText('x')];
        const { created } = await upload(server, { none: { data }, null: { data, type: null } });
        expect(sortKeys(created)).toEqual(['none', 'null']);
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
        const source = await createBlob(server, buildText('0123456789'));
        const id = await createBlob(
          server,
          buildText('a€'),
          buildBase64('/w=='),
          buildText(''),
          { blobId: source, offset: 2, length: 3 },
          { blobId: source, offset: 8 },
          { blobId: source, length: 1 },
          { blobId: source, offset: null, length: null },
          { blobId: source, offset: 10, length: 0 },
          buildText('b'),
        );
        const octets = Buffer.concat([
          Buffer.from('a€'),
          Buffer.from([0xff]),
          Buffer.from('234890' + '0123456789b'),
        ]);
        expect(await readOctets(server, id)).toBe(octets.toString('latin1'));
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
        const blobId = await createBlob(server, buildText('0123456789'));
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
        const create = buildCreates(
          Object.fromEntries(wrong.map((range, n) => [`k${n}`, [{ blobId, ...range }]])),
        );
        const { created, notCreated } = await upload(server, create);
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([[], sortKeys(create)]);
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
        const blobId = await createBlob(server, buildText('x'));
        const create = buildCreates({ ...NONSENSE, mixed: [{ ...buildText('a'), blobId }] });
        const good = { data: [buildText('good')] };
        const { created, notCreated } = await upload(server, { ...create, good });
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([['good'], sortKeys(create)]);
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
        const create = buildCreates(
          Object.fromEntries(wrong.map((value, n) => [`k${n}`, [buildBase64(value)]])),
        );
        const { created, notCreated } = await upload(server, create);
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([[], sortKeys(create)]);
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
        const { accountId, user } = server.findForeign(BLOB);
        const blobId = await user.uploadBlob(accountId, 'theirs', 'text/plain');
        const { created, notCreated } = await upload(server, {
          a: { data: [{ blobId }] },
          b: { data: [{ blobId: 'b-nothing' }] },
          c: { data: [{ blobId: '#nobody' }] },
        });
        expect([sortKeys(created), sortKeys(notCreated)]).toEqual([[], ['a', 'b', 'c']]);
        const hideIds = (key: string) =>
          parseJson(
            JSON.stringify(notCreated[key]).replaceAll(blobId, '-').replaceAll('b-nothing', '-'),
          );
        expect(hideIds('a')).toEqual(hideIds('b'));
      },
    },
  ],
  'RFC 9404',
);
