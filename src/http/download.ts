import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Principal } from '../accounts/principal.js';
import { BlobMissingError } from '../blobs/port.js';
import { isId } from '../protocol/ids.js';
import { isMediaType } from '../protocol/media-type.js';
import { accountHas } from '../protocol/session.js';
import type { BlobRow } from '../store/port.js';
import type { Page } from './app.js';
import { contentDisposition, dispositionOf } from './content-disposition.js';
import { edgeHeaders, principalOf } from './edge-response.js';
import { type OctetRange, parseRange } from './range.js';
import { HttpError } from './reply.js';
import type { TransportServices } from './shared.js';
import { streamTo } from './write-long.js';

/** D22. */
const CACHE: readonly string[] = ['Cache-Control', 'private, immutable, max-age=31536000'];

/** GET {base}/jmap/download/{accountId}/{blobId}/{name} (RFC 8620 6.2), streamed, with Range and HEAD. */
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
    const asked = query.get('type');
    const type = asked !== null && isMediaType(asked) ? asked : row.type;
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

/** D3, RFC 8620 6.1: out of reach, unknown, and unreferenced of another's uploading are all the same 404. */
async function visibleBlob(
  services: TransportServices,
  principal: Principal,
  accountId: string,
  blobId: string,
): Promise<BlobRow> {
  const { blobCapability, store, limits } = services;
  const account = principal.accounts.get(accountId);
  const capable =
    account !== undefined && (blobCapability === null || accountHas(account, blobCapability));
  if (!capable || !isId(blobId)) throw noBlob();
  const deadline = performance.now() + limits.requestTimeout;
  const [row] = await store.read(accountId, { deadline }, (snapshot) =>
    snapshot.blobs([blobId], principal.userId),
  );
  if (row === undefined) throw noBlob();
  return row;
}

function noBlob(): HttpError {
  return new HttpError(404, 'There is no such blob.');
}

/**
 * Ranges are of GET alone (RFC 9110 14.2). A condition on one needs a validator, and there is none: then the whole is
 * sent (13.1.5).
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
