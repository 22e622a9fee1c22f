import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  list,
  onResponse,
  onResponses,
  renamed,
  sent,
  session,
  values,
} from './makers.js';

/** RFC 9404: what is wrong with blobs that are made, read and looked up by method calls. */

const BLOB = 'urn:ietf:params:jmap:blob';

/** Changes the report of each blob that was made. */
const created = (change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  changeResponses('upload', (args) => ({
    ...args,
    created: values(args['created'], (one) => change(asMap(one))),
  }));

/** Each create that is sent. */
const creates = (change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  sent('upload', (args) => ({
    ...args,
    create: values(args['create'], (one) => change(asMap(one))),
  }));

/** Each source that is sent. */
const sources = (change: (one: JsonMap) => Json): Partial<Fault> =>
  creates((one) => {
    const { data } = one;
    if (!Array.isArray(data)) return one;
    return {
      ...one,
      data: data.map((source) =>
        Object.keys(asMap(source)).length > 0 ? change(asMap(source)) : source,
      ),
    };
  });

/** Changes the list of Blob/get. */
const blobs = (change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  list('get', 'list', (all) => all.map((one) => change(asMap(one))));

const capability = (change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  session((value) => ({
    ...value,
    accounts: values(value['accounts'], (account) => {
      const all = asMap(asMap(account)['accountCapabilities']);
      if (all[BLOB] === undefined) return account;
      const accountCapabilities = { ...all, [BLOB]: change(asMap(all[BLOB])) };
      return { ...asMap(account), accountCapabilities };
    }),
  }));

/** Tells that what was refused was made. */
const making = (is: (error: JsonMap, key: string) => boolean): Partial<Fault> =>
  changeResponses('upload', (args) => {
    const all = Object.entries(asMap(args['notCreated']));
    const taken = all.filter(([key, error]) => is(asMap(error), key));
    const rest = all.filter((one) => !taken.includes(one));
    const blob = { id: 'bmade', blobId: 'bmade', type: null, size: 1 };
    return {
      ...args,
      created: { ...asMap(args['created']), ...Object.fromEntries(taken.map(([k]) => [k, blob])) },
      notCreated: Object.fromEntries(rest),
    };
  });

/** Errors of the methods of blobs alone are called otherwise. */
const forgiven = (type: string, verb: string): Partial<Fault> =>
  onResponses(([name, args, id]) =>
    name === 'error' && args['type'] === type
      ? [`Blob/${verb}`, { accountId: 'a', list: [], notFound: [], created: {} }, id]
      : [name, args, id],
  );

const digest = (name: string): boolean => name.startsWith('digest:');

export const blobUploadMethodFaults: readonly Fault[] = [
  {
    name: 'maxDataSources is 10',
    checks: ['blob-capability'],
    ...capability((one) => ({ ...one, maxDataSources: 10 })),
  },
  {
    name: 'digest algorithms are in upper case',
    checks: ['blob-capability'],
    ...capability((one) => ({ ...one, supportedDigestAlgorithms: ['SHA'] })),
  },
  {
    name: 'the size of a blob is that of its text in characters',
    checks: ['blob-method-upload-created'],
    ...created((one) => ({ ...one, size: 6 })),
  },
  {
    name: 'a type that was given is forgotten',
    checks: ['blob-method-upload-created'],
    ...creates((one) => ({ ...one, type: null })),
  },
  {
    name: 'a blob without a type has false in its place',
    checks: ['blob-method-upload-type'],
    ...created((one) => ({ ...one, type: false })),
  },
  {
    name: 'sources are joined last first',
    checks: ['blob-method-upload-joined', 'blob-method-upload-creation-ids'],
    ...creates((one) => ({
      ...one,
      data: Array.isArray(one['data']) ? [...one['data']].reverse() : (one['data'] ?? null),
    })),
  },
  {
    name: 'ranges of sources are ignored',
    checks: ['blob-method-upload-joined', 'blob-method-upload-range'],
    ...sources(({ offset: _, length: __, ...source }) => source),
  },
  {
    name: 'an empty blob is refused',
    checks: ['blob-method-upload-joined'],
    ...changeResponses('upload', (args) =>
      JSON.stringify(args).includes('"size":0') ? { ...args, created: null } : args,
    ),
  },
  {
    name: 'an unreadable blob is taken as an empty one',
    checks: [
      'blob-method-upload-range',
      'blob-method-upload-sources',
      'blob-method-upload-base64',
      'blob-method-upload-strict-base64',
      'blob-method-upload-unknown-blob',
      'blob-method-upload-bad-type',
      'blob-method-upload-most-sources',
    ],
    ...making(() => true),
  },
  {
    name: 'of two forms the first counts',
    checks: ['blob-method-upload-sources'],
    ...sources((source) => {
      const [first] = Object.entries(source);
      return first === undefined || 'blobId' in source ? source : { [first[0]]: first[1] };
    }),
  },
  {
    name: 'base64 is read as far as it goes',
    checks: ['blob-method-upload-base64', 'blob-method-upload-strict-base64'],
    ...sources((source) => {
      const value = source['data:asBase64'];
      if (typeof value !== 'string') return source;
      return { ...source, 'data:asBase64': Buffer.from(value, 'base64').toString('base64') };
    }),
  },
  {
    name: 'another user’s blob is forbidden',
    checks: ['blob-method-upload-unknown-blob'],
    ...changeResponses('upload', (args) => ({
      ...args,
      notCreated: values(args['notCreated'], (error, key) =>
        key === 'a' ? { ...asMap(error), type: 'forbidden' } : error,
      ),
    })),
  },
  {
    name: 'blobs are not in createdIds',
    checks: ['blob-method-upload-creation-ids'],
    ...onResponse((response) =>
      response['createdIds'] === undefined ? response : { ...response, createdIds: {} },
    ),
  },
  {
    name: 'a blob that was made has a blobId alone',
    checks: [
      'blob-method-upload-created',
      'blob-method-upload-creation-ids',
      'blob-method-upload-reference',
    ],
    ...created(({ id: _, ...one }) => one),
  },
  {
    name: 'a reference to a blob resolves to something else',
    checks: ['blob-method-upload-reference', 'blob-method-upload-blob-id'],
    ...onResponses(([name, args, id]) =>
      name === 'Core/echo' ? [name, { id: 'k' }, id] : [name, args, id],
    ),
  },
  {
    name: 'blobs that are made have no blobId',
    checks: ['blob-method-upload-blob-id'],
    ...created(({ blobId: _, ...one }) => one),
  },
  {
    name: 'a type that is none is octets',
    checks: ['blob-method-upload-bad-type'],
    ...creates((one) => ('type' in one ? { ...one, type: 'application/octet-stream' } : one)),
  },
  {
    name: 'blobs of any size are made',
    checks: ['blob-method-upload-octets'],
    ...making((_, key) => key === 'large'),
  },
  {
    name: 'sources beyond the last that is allowed are left out',
    checks: ['blob-method-upload-most-sources'],
    ...making((_, key) => key === 'more'),
  },
  {
    name: 'an account that is not there is forbidden to blobs',
    checks: [
      'blob-method-upload-unknown-account',
      'blob-method-get-unknown-account',
      'blob-lookup-unknown-account',
    ],
    ...renamed('accountNotFound', 'forbidden'),
  },
  {
    name: 'blobs are made where one may only read',
    checks: ['blob-method-upload-read-only'],
    ...forgiven('accountReadOnly', 'upload'),
  },
  {
    name: 'wrong arguments are as good as none',
    checks: ['blob-method-upload-arguments', 'blob-method-get-arguments', 'blob-lookup-arguments'],
    ...forgiven('invalidArguments', 'any'),
  },
];

export const blobGetMethodFaults: readonly Fault[] = [
  {
    name: 'the size of a blob is told as null',
    checks: ['blob-method-get', 'blob-method-get-uploaded', 'blob-method-get-creation-id'],
    ...blobs((one) => ({ ...one, size: null })),
  },
  {
    name: 'without properties all of them are told',
    checks: ['blob-method-get'],
    ...sent('get', (args) => ({ properties: ['data', 'data:asBase64', 'size'], ...args })),
  },
  {
    name: 'text is ASCII',
    checks: ['blob-method-get-uploaded', 'blob-method-get-cut-character'],
    ...blobs((one) =>
      typeof one['data:asText'] === 'string'
        ? { ...one, 'data:asText': one['data:asText'].replace(/[^ -~]/gu, '?') }
        : one,
    ),
  },
  {
    name: 'base64 has no padding',
    checks: ['blob-method-get-base64', 'blob-method-get-uploaded'],
    ...blobs((one) =>
      'data:asBase64' in one
        ? { ...one, 'data:asBase64': String(one['data:asBase64']).replace(/=+$/, '') }
        : one,
    ),
  },
  {
    name: 'octets of a blob that are no UTF-8 are replaced',
    checks: ['blob-method-get-encoding', 'blob-method-get-cut-character'],
    ...blobs(({ isEncodingProblem, ...one }) =>
      isEncodingProblem === true ? { ...one, 'data:asText': 'The \ufffd' } : one,
    ),
  },
  {
    name: 'an encoding problem is told of blobs asked for as base64',
    checks: ['blob-method-get-encoding'],
    ...blobs((one) =>
      'data:asText' in one || one['size'] !== 43 ? one : { ...one, isEncodingProblem: true },
    ),
  },
  {
    name: 'size is that of the range',
    checks: ['blob-method-get-range', 'blob-method-get-truncated'],
    ...blobs((one) =>
      typeof one['data:asText'] === 'string' ? { ...one, size: one['data:asText'].length } : one,
    ),
  },
  {
    name: 'an offset is ignored',
    checks: [
      'blob-method-get-range',
      'blob-method-get-base64',
      'blob-method-get-truncated',
      'blob-method-get-digests',
    ],
    ...sent('get', (args) => ({ ...args, ...('offset' in args ? { offset: 0 } : {}) })),
  },
  {
    name: 'characters are never cut',
    checks: ['blob-method-get-cut-character'],
    ...sent('get', (args) => (args['length'] === 2 ? { ...args, length: 1 } : args)),
  },
  {
    name: 'truncation is not told',
    checks: ['blob-method-get-truncated'],
    ...blobs(({ isTruncated: _, ...one }) => one),
  },
  {
    name: 'all ranges are truncated',
    checks: ['blob-method-get-truncated', 'blob-method-get-range'],
    ...blobs((one) => ({ ...one, isTruncated: true })),
  },
  {
    name: 'digests are of the whole',
    checks: ['blob-method-get-digests'],
    ...sent('get', ({ offset, length, ...args }) =>
      JSON.stringify(args['properties'] ?? null).includes('digest:')
        ? args
        : {
            ...args,
            ...(offset === undefined ? {} : { offset }),
            ...(length === undefined ? {} : { length }),
          },
    ),
  },
  {
    name: 'digests are hexadecimal',
    checks: ['blob-method-get-digests'],
    ...blobs((one) => {
      const told = Object.entries(one).map(([name, value]) =>
        digest(name) ? [name, Buffer.from(String(value), 'base64').toString('hex')] : [name, value],
      );
      return Object.fromEntries(told) as JsonMap;
    }),
  },
  {
    name: 'a missing blob is not reported',
    checks: ['blob-method-get-not-found', 'blob-method-get-uploader-alone'],
    ...changeResponses('get', (args) => ({ ...args, notFound: [] })),
  },
  {
    name: 'a blob that is asked for twice is listed twice',
    checks: ['blob-method-get-not-found'],
    ...list('get', 'list', (all) => [...all, ...all]),
  },
  {
    name: 'creation ids are no ids',
    checks: ['blob-method-get-creation-id'],
    ...sent('get', (args) => ({ ...args, ids: ['b-nothing'] })),
  },
  {
    name: 'properties that there are none of are left out',
    checks: ['blob-method-get-arguments'],
    ...forgiven('invalidArguments', 'get'),
  },
];

/** Changes the report of each blob that is looked up. */
const matches = (change: (one: JsonMap) => JsonMap): Partial<Fault> =>
  list('lookup', 'list', (all) =>
    all.map((one) => ({ ...asMap(one), matchedIds: change(asMap(asMap(one)['matchedIds'])) })),
  );

export const blobLookupFaults: readonly Fault[] = [
  {
    name: 'blobs that nothing refers to are not listed',
    checks: ['blob-lookup-nothing', 'blob-lookup-no-types'],
    ...list('lookup', 'list', () => []),
  },
  {
    name: 'blobs that are not there are notFound',
    checks: ['blob-lookup-nothing'],
    ...list('lookup', 'list', (all) => all.filter((one) => asMap(one)['id'] !== 'b-nothing')),
  },
  {
    name: 'types without objects are left out',
    checks: ['blob-lookup-nothing'],
    ...matches((map) =>
      Object.fromEntries(
        Object.entries(map).filter(([, ids]) => Array.isArray(ids) && ids.length > 0),
      ),
    ),
  },
  {
    name: 'something is listed always',
    checks: ['blob-lookup-none'],
    ...list('lookup', 'list', (all) => [...all, { id: 'bany', matchedIds: {} }]),
  },
  {
    name: 'types that are none are ignored',
    checks: ['blob-lookup-unknown-type', 'blob-lookup-not-used'],
    ...forgiven('unknownDataType', 'lookup'),
  },
  {
    name: 'types that are none are wrong arguments',
    checks: ['blob-lookup-unknown-type'],
    ...renamed('unknownDataType', 'invalidArguments'),
  },
  {
    name: 'objects are never found',
    checks: ['blob-lookup-objects', 'blob-lookup-each', 'blob-lookup-null'],
    ...matches((map) => values(map, () => []) as JsonMap),
  },
  {
    name: 'an object is found by what it held',
    checks: ['blob-lookup-objects', 'blob-lookup-null'],
    ...(() => {
      const known = new Map<string, Json[]>();
      return list('lookup', 'list', (all) =>
        all.map((one) => {
          const { id, matchedIds } = asMap(one);
          return {
            id: id ?? null,
            matchedIds: values(matchedIds, (ids, type) => {
              const key = `${String(id)} ${type}`;
              const now = new Set([...(known.get(key) ?? []), ...(ids as Json[])]);
              known.set(key, [...now]);
              return [...now];
            }),
          };
        }),
      );
    })(),
  },
];

export const blobMethodFaults: readonly Fault[] = [
  ...blobUploadMethodFaults,
  ...blobGetMethodFaults,
  ...blobLookupFaults,
];
