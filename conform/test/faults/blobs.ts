import { asMap, type Json, type JsonMap, parseJson } from '../../src/client/json.js';
import type { Fault, ProxyAnswer, ProxyRequest } from '../proxy.js';
import { changeResponses, http, renamed, sent, session, withBody } from './makers.js';

/** RFC 8620 6: what is wrong with octets that go up, down and across. */

const isUpload = ({ path }: ProxyRequest): boolean => path.includes('/upload/');
const isDownload = ({ path }: ProxyRequest): boolean => path.includes('/download/');

type Headers = ProxyAnswer['headers'];

const upload = (change: (answer: JsonMap) => JsonMap): Partial<Fault> =>
  http(isUpload, (answer) =>
    answer.status < 300
      ? withBody(answer, JSON.stringify(change(asMap(parseJson(answer.body.toString('utf8'))))))
      : answer,
  );

/** Changes an upload on its way to the server. */
const uploading = (change: (request: ProxyRequest) => ProxyRequest): Partial<Fault> => ({
  request: (request) => (isUpload(request) ? change(request) : request),
});

/** The octets of each blob that is answered. */
const octets = (change: (body: Buffer, request: ProxyRequest) => Buffer): Partial<Fault> =>
  http(isDownload, (answer, request) => {
    if (answer.status !== 200) return answer;
    const body = change(answer.body, request);
    return { ...answer, body, headers: { ...answer.headers, 'content-length': `${body.length}` } };
  });

const headers = (change: (headers: Headers) => Headers, status = 200): Partial<Fault> =>
  http(isDownload, (answer) =>
    answer.status === status ? { ...answer, headers: change(answer.headers) } : answer,
  );

const disposition = (change: (header: string) => string): Partial<Fault> =>
  headers((all) => ({
    ...all,
    'content-disposition': change(String(all['content-disposition'])),
  }));

/** Takes what should be refused, whatever it was. */
const acceptRefused = (
  is: (request: ProxyRequest) => boolean,
  ...statuses: number[]
): Partial<Fault> =>
  http(is, (answer) => (statuses.includes(answer.status) ? { ...answer, status: 200 } : answer));

/** Refuses with another status. */
const refused = (from: number, to: number): Partial<Fault> =>
  http(
    (request) => isUpload(request) || isDownload(request),
    (answer) => (answer.status === from ? { ...answer, status: to } : answer),
  );

const isOf = (method: string) => (request: ProxyRequest) => request.method === method;

/** Forgets what is a problem in an answer that refuses. */
const dropProblem = (is: (request: ProxyRequest) => boolean): Partial<Fault> =>
  http(is, (answer) =>
    answer.status < 400
      ? answer
      : withBody({ ...answer, headers: { 'content-type': 'text/html' } }, '<h1>Error</h1>'),
  );

const copied = (change: (map: JsonMap, args: JsonMap) => Json): Partial<Fault> =>
  changeResponses('copy', (args) => ({ ...args, copied: change(asMap(args['copied']), args) }));

export const uploadFaults: readonly Fault[] = [
  {
    name: 'an upload is answered with its blobId alone',
    checks: ['blob-upload-response', 'blob-upload-exact-response'],
    ...upload(({ blobId }) => ({ blobId: blobId ?? null })),
  },
  {
    name: 'a blobId is a path',
    checks: ['blob-upload-response'],
    ...upload((answer) => ({ ...answer, blobId: `/blobs/${String(answer['blobId'])}` })),
  },
  {
    name: 'the size of an upload is a string',
    checks: ['blob-upload-response', 'blob-upload-raw', 'blob-upload-empty', 'blob-upload-chunked'],
    ...upload((answer) => ({ ...answer, size: String(answer['size']) })),
  },
  {
    name: 'uploads are 201 and tell when they expire',
    checks: ['blob-upload-exact-response'],
    ...http(isUpload, (answer) =>
      answer.status === 200
        ? withBody(
            { ...answer, status: 201 },
            answer.body.toString('utf8').replace('{', '{"expires":null,'),
          )
        : answer,
    ),
  },
  {
    name: 'JSON is read and written anew',
    checks: ['blob-upload-raw'],
    ...uploading((request) =>
      request.headers['content-type'] === 'application/json'
        ? { ...request, body: Buffer.from('{"a":2}') }
        : request,
    ),
  },
  {
    name: 'text is read as UTF-8 and loses its mark',
    checks: ['blob-upload-raw'],
    ...uploading((request) => ({
      ...request,
      body:
        request.body.subarray(0, 3).toString('hex') === 'efbbbf'
          ? request.body.subarray(3)
          : request.body,
    })),
  },
  {
    name: 'an empty upload is refused',
    checks: ['blob-upload-empty'],
    ...http(
      (request) => isUpload(request) && request.body.length === 0,
      (answer) => ({ ...answer, status: 400 }),
    ),
  },
  {
    name: 'an upload needs a Content-Length',
    checks: ['blob-upload-chunked'],
    ...http(
      (request) => isUpload(request) && request.headers['transfer-encoding'] !== undefined,
      (answer) => ({ ...answer, status: 411 }),
    ),
  },
  {
    name: 'one content has one type, that of its first upload',
    checks: ['blob-upload-same-content'],
    ...upload((answer) => ({ ...answer, type: 'text/plain' })),
  },
  {
    name: 'all uploads of one length have one id',
    checks: ['blob-upload-immutable'],
    ...(() => {
      const ids = new Map<Json, Json>();
      return upload((answer) => {
        const size = answer['size'] ?? null;
        const blobId = ids.get(size) ?? answer['blobId'] ?? null;
        ids.set(size, blobId);
        return { ...answer, blobId };
      });
    })(),
  },
  {
    name: 'a type loses its parameters',
    checks: ['blob-upload-types'],
    ...upload((answer) => ({ ...answer, type: String(answer['type']).split(';')[0] ?? '' })),
  },
  {
    name: 'a GET of the upload URL is 404',
    checks: ['blob-upload-verbs'],
    ...refused(405, 404),
  },
  {
    name: 'a 405 does not tell what is allowed',
    checks: ['blob-upload-verbs'],
    ...http(isUpload, (answer) => {
      const { allow: _, ...rest } = answer.headers;
      return { ...answer, headers: rest };
    }),
  },
  {
    name: 'maxSizeUpload is told and not kept',
    checks: ['blob-upload-size'],
    ...session((value) => {
      const capabilities = asMap(value['capabilities']);
      const core = { ...asMap(capabilities['urn:ietf:params:jmap:core']), maxSizeUpload: 1000 };
      return { ...value, capabilities: { ...capabilities, 'urn:ietf:params:jmap:core': core } };
    }),
  },
  {
    name: 'uploads go to any account',
    checks: [
      'blob-upload-unknown-account',
      'blob-upload-foreign-account',
      'blob-upload-read-only-account',
    ],
    ...acceptRefused(isUpload, 403, 404),
  },
  {
    name: 'accounts that are there are 403',
    checks: ['blob-upload-refusals-alike'],
    ...http(
      ({ path }) => !path.includes('a-nobody'),
      (answer) => (answer.status === 404 ? { ...answer, status: 403 } : answer),
    ),
  },
  {
    name: 'a refused upload is a page',
    checks: ['blob-upload-problem'],
    ...dropProblem(isUpload),
  },
  {
    name: 'a reader of an account reads its uploads',
    checks: ['blob-upload-uploader-alone'],
    ...http(isDownload, (answer) =>
      answer.status === 404 ? withBody({ ...answer, status: 200 }, 'private') : answer,
    ),
  },
];

export const downloadFaults: readonly Fault[] = [
  {
    name: 'a large download loses its last octet',
    checks: ['blob-download-octets'],
    ...octets((body) => (body.length > 100_000 ? body.subarray(0, -1) : body)),
  },
  {
    name: 'downloads are read as text',
    checks: ['blob-download-octets'],
    ...octets((body) => Buffer.from(body.toString('utf8'))),
  },
  {
    name: 'a download has the type of its upload',
    checks: ['blob-download-type', 'blob-download-headers'],
    ...headers((all) => ({ ...all, 'content-type': 'text/x-stored' })),
  },
  {
    name: 'names are cut at a semicolon',
    checks: ['blob-download-name'],
    ...disposition((header) => header.replace(';colon=1', '')),
  },
  {
    name: 'quotes in names are not escaped',
    checks: ['blob-download-name'],
    ...disposition((header) => header.replaceAll('\\', '')),
  },
  {
    name: 'names are ASCII',
    checks: ['blob-download-name'],
    ...disposition((header) => header.replace(/; filename\*=.*/, '')),
  },
  {
    name: 'escapes in names are read twice',
    checks: ['blob-download-name'],
    ...disposition((header) => header.replace('percent%2541', 'percent%41')),
  },
  {
    name: 'there is no Content-Disposition',
    checks: ['blob-download-any-name', 'blob-download-sandbox'],
    ...headers(({ 'content-disposition': _, ...all }) => all),
  },
  {
    name: 'a path loses its folders',
    checks: ['blob-download-any-name'],
    ...disposition((header) => header.replace('../../etc/', '')),
  },
  {
    name: 'a line break in a name begins a header',
    checks: ['blob-download-no-injection'],
    ...http(
      (request) => isDownload(request) && /%0d%0a/i.test(request.path),
      (answer) => ({ ...answer, headers: { ...answer.headers, 'x-injected': '1' } }),
    ),
  },
  {
    name: 'a NUL in a name breaks the server',
    checks: ['blob-download-no-injection'],
    ...http(
      (request) => isDownload(request) && /%00/.test(request.path),
      (answer) => ({ ...answer, status: 500 }),
    ),
  },
  {
    name: 'downloads are not cached',
    checks: ['blob-download-cache', 'blob-download-headers'],
    ...headers((all) => ({ ...all, 'cache-control': 'no-store' })),
  },
  {
    name: 'downloads are cached for an hour',
    checks: ['blob-download-cache'],
    ...headers((all) => ({ ...all, 'cache-control': 'private, immutable, max-age=3600' })),
  },
  {
    name: 'the refusal of a missing blob is cached for long',
    checks: ['blob-download-refusal-cache'],
    ...headers((all) => ({ ...all, 'cache-control': 'private, immutable, max-age=31536000' }), 404),
  },
  {
    name: 'content may be sniffed',
    checks: ['blob-download-headers', 'blob-download-sandbox'],
    ...headers(({ 'x-content-type-options': _, ...all }) => all),
  },
  {
    name: 'documents are shown where they are',
    checks: ['blob-download-sandbox'],
    ...disposition((header) => header.replace('attachment', 'inline')),
  },
  {
    name: 'a range is ignored',
    checks: ['blob-download-ranges'],
    request: (request) => {
      const { range: _, ...rest } = request.headers;
      return isDownload(request) ? { ...request, headers: rest } : request;
    },
  },
  {
    name: 'HEAD is refused',
    checks: ['blob-download-head'],
    ...http(isOf('HEAD'), (answer) => ({ ...answer, status: 405 })),
  },
  {
    name: 'blobs are for everybody',
    checks: ['blob-download-no-credentials'],
    ...http(isDownload, (answer) =>
      answer.status === 401 ? withBody({ ...answer, status: 200 }, 'secret content') : answer,
    ),
  },
  {
    name: 'an unknown blob is an empty one',
    checks: ['blob-download-unknown', 'blob-download-foreign', 'blob-download-refusals-alike'],
    ...acceptRefused(isDownload, 404),
  },
  {
    name: 'blob ids are good for every account',
    checks: ['blob-download-foreign'],
    ...http(isDownload, (answer) =>
      answer.status === 404 ? withBody({ ...answer, status: 404 }, 'their content') : answer,
    ),
  },
  {
    name: 'a refused download is a page',
    checks: ['blob-download-problem', 'blob-download-refusals-alike'],
    ...dropProblem(isDownload),
  },
];

export const blobCopyFaults: readonly Fault[] = [
  {
    name: 'a copy has the id of its original, which is not there',
    checks: ['blob-copy', 'blob-copy-type'],
    ...copied((map) => Object.fromEntries(Object.keys(map).map((id) => [id, id]))),
  },
  {
    name: 'copied maps new ids to old ones',
    checks: ['blob-copy', 'blob-copy-not-found', 'blob-copy-twice'],
    ...copied((map) => Object.fromEntries(Object.entries(map).map(([a, b]) => [String(b), a]))),
  },
  {
    name: 'accounts of a copy are told the other way round',
    checks: ['blob-copy'],
    ...changeResponses('copy', (args) => ({
      ...args,
      fromAccountId: args['accountId'] ?? null,
      accountId: args['fromAccountId'] ?? null,
    })),
  },
  {
    name: 'copies have no type',
    checks: ['blob-copy-type'],
    ...headers((all) => ({ ...all, 'content-type': 'application/octet-stream' })),
  },
  {
    name: 'a blob that is not copied is in neither list',
    checks: ['blob-copy-not-found', 'blob-copy-twice', 'blob-copy-uploader-alone'],
    ...changeResponses('copy', ({ notCopied: _, ...args }) => args),
  },
  {
    name: 'a missing blob is blobNotFound',
    checks: ['blob-copy-not-found', 'blob-copy-uploader-alone'],
    ...renamed('notFound', 'blobNotFound'),
  },
  {
    name: 'copied is an empty object where nothing was',
    checks: ['blob-copy-none', 'blob-copy-not-found'],
    ...copied((map) => map),
  },
  {
    name: 'the last of two equal ids is not found',
    checks: ['blob-copy-twice'],
    ...changeResponses('copy', (args) => {
      const failed = Object.keys(asMap(args['copied'])).map((id) => [id, { type: 'notFound' }]);
      return { ...args, notCopied: { ...asMap(args['notCopied']), ...Object.fromEntries(failed) } };
    }),
  },
  {
    name: 'a source that is not there is accountNotFound',
    checks: ['blob-copy-from-account-not-found', 'blob-copy-foreign-account'],
    ...renamed('fromAccountNotFound', 'accountNotFound'),
  },
  {
    name: 'accounts out of reach are forbidden',
    checks: ['blob-copy-account-not-found', 'blob-copy-foreign-account'],
    ...renamed('accountNotFound', 'forbidden'),
  },
  {
    name: 'copies into what may only be read are forbidden',
    checks: ['blob-copy-read-only'],
    ...renamed('accountReadOnly', 'forbidden'),
  },
  {
    name: 'blobIds that are missing are none',
    checks: ['blob-copy-arguments', 'blob-copy-arguments-required'],
    ...sent('copy', (args) => ({ ...args, blobIds: args['blobIds'] ?? [] })),
  },
  {
    name: 'an account without blobs is not found',
    checks: ['blob-copy-account-without'],
    ...renamed('accountNotSupportedByMethod', 'accountNotFound'),
  },
];
