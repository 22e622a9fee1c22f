import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { MethodError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { quoted } from '../issues.js';

/**
 * RFC 9404 3.1 `supportedDigestAlgorithms`, the preferred first: names of the HTTP Digest Algorithm
 * registry.
 */
export const DIGEST_ALGORITHMS: readonly string[] = Object.freeze(['sha-256', 'sha-512', 'sha']);

/** The same to Node. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
  ['sha', 'sha1'],
]);

const DEFAULT_PROPERTIES: readonly string[] = ['data', 'size'];
const DATA_PROPERTIES: readonly string[] = ['data', 'data:asText', 'data:asBase64'];
const DIGEST = 'digest:';

/** What a Blob/get asks of each blob. */
export interface BlobView {
  readonly properties: ReadonlySet<string>;
  readonly algorithms: readonly string[];
  /** Octets themselves are answered, not only digests of them. */
  readonly needsData: boolean;
  readonly offset: number;
  readonly length: number | null;
}

/** Checks the `properties` argument; null is data and size (RFC 9404 4.2). */
export function parseProperties(
  asked: readonly string[] | null,
  offset: number,
  length: number | null,
): BlobView {
  const properties = new Set(asked ?? DEFAULT_PROPERTIES);
  const digests = DIGEST_ALGORITHMS.map((algorithm) => DIGEST + algorithm);
  const legal = ['id', ...DATA_PROPERTIES, 'size', ...digests];
  for (const name of properties) {
    if (legal.includes(name)) continue;
    throw new MethodError(
      'invalidArguments',
      `"properties": no property ${quoted(name)} of a blob; there are ${legal.join(', ')}.`,
    );
  }
  return {
    properties,
    algorithms: DIGEST_ALGORITHMS.filter((algorithm) => properties.has(DIGEST + algorithm)),
    needsData: DATA_PROPERTIES.some((name) => properties.has(name)),
    offset,
    length,
  };
}

/** The octets of the view that a blob of this size has, and whether some are lacking. */
export function range(
  view: BlobView,
  size: number,
): { readonly start: number; readonly end: number; readonly isTruncated: boolean } {
  const wanted = view.length === null ? Math.max(size, view.offset) : view.offset + view.length;
  return {
    start: Math.min(view.offset, size),
    end: Math.min(wanted, size),
    isTruncated: wanted > size,
  };
}

/** A blob as Blob/get answers it. Octets are read only where something asks for them. */
export async function viewBlob(
  row: BlobRow,
  view: BlobView,
  context: CallContext,
): Promise<JsonObject> {
  const { start, end, isTruncated } = range(view, row.size);
  const hashes = new Map<string, Hash>();
  for (const algorithm of view.algorithms) {
    hashes.set(algorithm, createHash(HASHES.get(algorithm) ?? algorithm));
  }
  const chunks: Buffer[] = [];
  if (end > start && (view.needsData || hashes.size > 0)) {
    const accountId = accountOf(context).id;
    const octets = await context.services.blobs.read(accountId, row.id, { start, end });
    for await (const chunk of octets) {
      requireTime(context.deadline);
      for (const hash of hashes.values()) hash.update(chunk as Buffer);
      if (view.needsData) chunks.push(chunk as Buffer);
    }
  }
  const object = emptyObject();
  object['id'] = row.id;
  if (view.needsData) putData(object, view, Buffer.concat(chunks));
  for (const [algorithm, hash] of hashes) object[DIGEST + algorithm] = hash.digest('base64');
  if (isTruncated) object['isTruncated'] = true;
  // Of the whole blob, whatever the range.
  if (view.properties.has('size')) object['size'] = row.size;
  return object;
}

/**
 * 4.2: text only where the octets of the range are UTF-8, half a character at its ends included;
 * `data` falls back to base64, `data:asText` to null.
 */
function putData(object: Record<string, JsonObject[string]>, view: BlobView, octets: Buffer): void {
  const { properties } = view;
  const anyForm = properties.has('data');
  const asText = anyForm || properties.has('data:asText');
  const isText = asText && isUtf8(octets);
  if (isText) object['data:asText'] = octets.toString('utf8');
  else if (properties.has('data:asText')) object['data:asText'] = null;
  if (properties.has('data:asBase64') || (anyForm && !isText)) {
    object['data:asBase64'] = octets.toString('base64');
  }
  if (asText && !isText) object['isEncodingProblem'] = true;
}
