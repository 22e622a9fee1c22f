import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { BlobGetArguments } from '../../../generated/blob/methods.js';
import { MethodError } from '../../protocol/errors.js';
import { emptyObject, type JsonObject } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { Answer, CallContext } from '../context.js';
import { distinctIds } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { requireFewIds } from './blob-lookup.js';
import { unlessMissing, visibleBlobs } from './call-blobs.js';

/** Names of the HTTP Digest Algorithm registry, the preferred first, and what Node calls them. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
  ['sha', 'sha1'],
]);

/** RFC 9404 3.1 `supportedDigestAlgorithms`. */
export const DIGEST_ALGORITHMS: readonly string[] = Object.freeze([...HASHES.keys()]);

const DEFAULT_PROPERTIES: readonly string[] = ['data', 'size'];
const DATA_PROPERTIES: readonly string[] = ['data', 'data:asText', 'data:asBase64'];
const DIGEST = 'digest:';

/** The parts of each blob that a Blob/get wants. */
interface BlobView {
  readonly properties: ReadonlySet<string>;
  /** Octets themselves are answered, not only digests of them. */
  readonly needsData: boolean;
  readonly offset: number;
  readonly length: number | null;
}

interface BlobGetResponse {
  readonly accountId: string;
  readonly list: readonly JsonObject[];
  readonly notFound: readonly string[];
}

/** Answers Blob/get (RFC 9404 4.2). */
export async function blobGet(args: BlobGetArguments, context: CallContext): Promise<Answer> {
  const { id: accountId } = accountOf(context);
  if (args.ids === null) {
    throw new MethodError('invalidArguments', '"ids" must be a list: all blobs are not offered.');
  }
  requireFewIds(args.ids, context.services.limits.maxObjectsInGet);
  const view = viewOf(args);
  const { existing, unresolved } = distinctIds(args.ids, context.request.createdIds);
  const visible = await visibleBlobs(accountId, new Set(existing.keys()), context);
  requireRoom([...visible.values()], view, context);
  const notFound = new Set(unresolved);
  const list: JsonObject[] = [];
  for (const [id, text] of existing) {
    const row = visible.get(id);
    const object = row && (await viewBlob(row, view, context).catch(unlessMissing));
    if (object) list.push(object);
    else notFound.add(text);
  }
  return context.admit<BlobGetResponse>({ accountId, list, notFound: [...notFound] });
}

/** Checks the `properties` argument; null is data and size (RFC 9404 4.2). */
function viewOf({ properties: names, offset = 0, length = null }: BlobGetArguments): BlobView {
  const properties = new Set(names ?? DEFAULT_PROPERTIES);
  const digests = DIGEST_ALGORITHMS.map((algorithm) => DIGEST + algorithm);
  const legal = ['id', ...DATA_PROPERTIES, 'size', ...digests];
  for (const name of properties) {
    if (legal.includes(name)) continue;
    throw new MethodError(
      'invalidArguments',
      `"properties": no property ${quoted(name)} of a blob; there are ${legal.join(', ')}.`,
    );
  }
  const needsData = DATA_PROPERTIES.some((name) => properties.has(name));
  return { properties, needsData, offset: offset ?? 0, length };
}

/** Refuses, before any octet is read, what can't fit into the response. */
function requireRoom(rows: readonly BlobRow[], view: BlobView, context: CallContext): void {
  if (!view.needsData) return;
  let octets = 0;
  for (const row of rows) {
    const { start, end } = range(view, row.size);
    octets += end - start;
  }
  if (octets > context.request.remainingOctets) {
    throw new MethodError(
      'requestTooLarge',
      'The octets asked for are more than a response holds.',
    );
  }
}

/** Returns the octets of the view that a blob of this size has, and whether some are lacking. */
function range(
  view: BlobView,
  size: number,
): { readonly start: number; readonly end: number; readonly isTruncated: boolean } {
  const end = view.length === null ? Math.max(size, view.offset) : view.offset + view.length;
  return {
    start: Math.min(view.offset, size),
    end: Math.min(end, size),
    isTruncated: end > size,
  };
}

/** Returns a blob as Blob/get answers it. Octets are read only where something asks for them. */
async function viewBlob(row: BlobRow, view: BlobView, context: CallContext): Promise<JsonObject> {
  const { start, end, isTruncated } = range(view, row.size);
  const hashes = [...HASHES].flatMap(([algorithm, name]) => {
    const property = DIGEST + algorithm;
    return view.properties.has(property) ? [{ property, hash: createHash(name) }] : [];
  });
  const chunks: Buffer[] = [];
  if (end > start && (view.needsData || hashes.length > 0)) {
    const accountId = accountOf(context).id;
    const octets = await context.services.blobs.read(accountId, row.id, { start, end });
    for await (const chunk of octets) {
      requireTime(context.deadline);
      for (const { hash } of hashes) hash.update(chunk as Buffer);
      if (view.needsData) chunks.push(chunk as Buffer);
    }
  }
  const object = emptyObject();
  object['id'] = row.id;
  if (view.needsData) putData(object, view, Buffer.concat(chunks));
  for (const { property, hash } of hashes) object[property] = hash.digest('base64');
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
