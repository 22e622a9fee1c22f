import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { blobViewIn } from '../access/views.js';
import type { Principal } from '../accounts/principal.js';
import { BlobMissingError, type OctetRange } from '../blobs/blob-store.js';
import { isId } from '../protocol/ids.js';
import { isMediaType } from '../protocol/media-type.js';
import { accountHas } from '../protocol/session.js';
import type { BlobRow } from '../store/port.js';
import type { Page } from './app.js';
import { edgeHeaders, principalOf } from './edge-response.js';
import { HttpError } from './reply.js';
import { requireBlobs } from './require-blobs.js';
import type { TransportServices } from './shared.js';
import { streamTo } from './write-long.js';

const CACHE: readonly string[] = ['Cache-Control', 'private, immutable, max-age=31536000'];

/**
 * Answers GET {base}/jmap/download/{accountId}/{blobId}/{name} (RFC 8620 6.2), with Range and HEAD.
 */
export function downloadPage(services: TransportServices): Page {
  return async ({ req, res, params, query }) => {
    const principal = principalOf(res);
    const accountId = params['accountId'] ?? '';
    const row = await visibleBlob(services, principal, accountId, params['blobId'] ?? '');
    const range = parseRange(rangeHeader(req), row.size);
    if (range === 'unsatisfiable') {
      const unsatisfiable = ['Content-Range', `bytes */${row.size}`, 'Accept-Ranges', 'bytes'];
      throw new HttpError(416, `The blob has ${row.size} octets.`, unsatisfiable);
    }
    const part = range === 'all' ? { start: 0, end: row.size } : range;
    const requestedType = query.get('type');
    const type = requestedType !== null && isMediaType(requestedType) ? requestedType : row.type;
    const headers = headersFor(type, params['name'] ?? '', row.size, range);
    const status = range === 'all' ? 200 : 206;
    // Opened before the headers go out: a lost file is still a 404.
    const octets = await open(services, accountId, row, part);
    res.writeHead(status, [...edgeHeaders(res), ...headers]);
    if (req.method === 'HEAD' || res.destroyed) {
      octets.destroy();
      res.end();
      return;
    }
    await streamTo(res, octets);
  };
}

/** Throws one 404 for blobs unknown, out of reach or another user's unreferenced (RFC 8620 6.1). */
async function visibleBlob(
  services: TransportServices,
  principal: Principal,
  accountId: string,
  blobId: string,
): Promise<BlobRow> {
  const { blobCapability, registry, store, limits } = services;
  requireBlobs(services, principal, 'read');
  const account = principal.accounts.get(accountId);
  const capable =
    account !== undefined && (blobCapability === null || accountHas(account, blobCapability));
  if (!capable || !isId(blobId)) throw noBlob();
  const deadline = performance.now() + limits.requestTimeout;
  const part = blobViewIn(account, principal, registry.dataTypes);
  const [row] = await store.read(accountId, { deadline }, (snapshot) =>
    snapshot.blobs([blobId], principal.userId, part),
  );
  if (row === undefined) throw noBlob();
  return row;
}

function noBlob(): HttpError {
  return new HttpError(404, 'There is no such blob.');
}

/**
 * Returns the Range of a GET (RFC 9110 14.2). `If-Range` needs a validator, and blobs have none:
 * the client gets the whole (13.1.5).
 */
function rangeHeader({ method, headers }: IncomingMessage): string | undefined {
  return method === 'GET' && headers['if-range'] === undefined ? headers.range : undefined;
}

function headersFor(
  type: string,
  name: string,
  size: number,
  range: OctetRange | 'all',
): readonly string[] {
  const { start, end } = range === 'all' ? { start: 0, end: size } : range;
  return [
    'Content-Type',
    type,
    'Content-Disposition',
    contentDisposition(dispositionOf(type), name),
    'Content-Length',
    String(end - start),
    'Accept-Ranges',
    'bytes',
    ...(range === 'all' ? [] : ['Content-Range', `bytes ${start}-${end - 1}/${size}`]),
    ...CACHE,
  ];
}

async function open(
  services: TransportServices,
  accountId: string,
  row: BlobRow,
  part: OctetRange,
): Promise<Readable> {
  try {
    return await services.blobs.read(accountId, row.id, part);
  } catch (error) {
    if (error instanceof BlobMissingError) throw noBlob();
    throw error;
  }
}

const SINGLE = /^bytes[ \t]*=[ \t]*(?:(\d{1,15})[ \t]*)?-[ \t]*(?:(\d{1,15})[ \t]*)?$/i;

/**
 * Returns the part of `size` octets that a Range header asks for (RFC 9110 14.2). It is `all` where
 * there is none, or one that may be ignored: another unit, several ranges, nonsense. A suffix
 * longer than the whole stands for the whole (14.1.2); the range-parser package refuses it.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): OctetRange | 'all' | 'unsatisfiable' {
  const match = header === undefined ? null : SINGLE.exec(header);
  if (match === null) return 'all';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'all';
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'all';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Characters beyond visible ASCII and space: no quoted-string here holds them (RFC 9110 5.6.4). */
const NOT_ASCII = /[^\x20-\x7e]/gu;
/** Characters that RFC 8187 3.2.1 wants escaped and encodeURIComponent leaves alone. */
const NOT_ATTR_CHAR = /['()*]/g;
/** Some browsers decode an escape in `filename`: then the extended form says what is meant. */
const ESCAPE = /%[0-9A-Fa-f]{2}/;

/**
 * Returns the Content-Disposition of a download (RFC 6266). It gives the name as it is, even a
 * path: the browser decides how to save it. `filename*` (RFC 8187) has what ASCII can't say, so
 * nothing in a name can end the header.
 */
export function contentDisposition(kind: 'attachment' | 'inline', name: string): string {
  if (name === '') return kind;
  const ascii = name.replace(NOT_ASCII, '_');
  const disposition = `${kind}; filename="${ascii.replace(/["\\]/g, '\\$&')}"`;
  if (ascii === name && !ESCAPE.test(name)) return disposition;
  const extended = encodeURIComponent(name).replace(
    NOT_ATTR_CHAR,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename*=UTF-8''${extended}`;
}

/** Types that a browser shows without running anything in them. */
const INERT =
  /^(?:text\/plain|image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:audio|video)\/[a-z0-9.+-]+)$/;

/**
 * Returns `inline` for a type that is known to be inert: a browser saves any other blob, and
 * doesn't show it.
 */
function dispositionOf(mediaType: string): 'attachment' | 'inline' {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return INERT.test(essence) ? 'inline' : 'attachment';
}
