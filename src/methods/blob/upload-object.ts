import { type SetError, setError } from '../../protocol/errors.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
} from '../../protocol/json.js';
import { DEFAULT_MEDIA_TYPE, isMediaType } from '../../protocol/media-type.js';
import { quoted, sentence } from '../issues.js';

/** RFC 9404 3.1: DataSourceObjects that one creation may have, as the session says. */
export const MAX_DATA_SOURCES = 64;

export type DataSource =
  | { readonly kind: 'octets'; readonly octets: Buffer }
  | {
      readonly kind: 'blob';
      /** An id, or "#" and a creation id. */
      readonly blobId: string;
      readonly offset: number;
      /** Null for all that follows. */
      readonly length: number | null;
    };

/** An UploadObject (RFC 9404 4.1) whose shape has been checked. */
export interface Upload {
  readonly type: string;
  readonly data: readonly DataSource[];
}

export type ParsedUpload =
  | { readonly kind: 'upload'; readonly upload: Upload }
  | { readonly kind: 'refused'; readonly error: SetError };

const MEMBERS: ReadonlySet<string> = new Set(['data', 'type']);
const SOURCE_MEMBERS: ReadonlySet<string> = new Set([
  'data:asText',
  'data:asBase64',
  'blobId',
  'offset',
  'length',
]);

/** Checks one entry of `create`; any fault refuses it: no member is guessed (RFC 9404 4.1). */
export function parseUpload(value: unknown): ParsedUpload {
  if (!isJsonObject(value)) return invalid([['', 'an UploadObject must be an object']]);
  const problems: [string, string][] = [];
  for (const name of Object.keys(value)) {
    if (!MEMBERS.has(name)) problems.push([name, `${quoted(name)} is not known`]);
  }
  const type = member(value, 'type') ?? DEFAULT_MEDIA_TYPE;
  if (typeof type !== 'string' || !isMediaType(type)) {
    problems.push(['type', '"type" must be a media type such as "text/plain"']);
  }
  const data = member(value, 'data');
  if (!isJsonArray(data)) {
    problems.push(['data', '"data" must be an array of data sources']);
    return invalid(problems);
  }
  if (data.length > MAX_DATA_SOURCES) {
    const count = `${data.length} sources, more than ${MAX_DATA_SOURCES}`;
    const why = `"data" has ${count} (maxDataSources).`;
    return { kind: 'refused', error: setError('tooLarge', why, { properties: ['data'] }) };
  }
  const sources: DataSource[] = [];
  for (const [position, item] of data.entries()) {
    const source = parseSource(item);
    if (typeof source === 'string') problems.push(['data', `"data/${position}" ${source}`]);
    else sources.push(source);
  }
  if (problems.length > 0 || typeof type !== 'string') return invalid(problems);
  return { kind: 'upload', upload: { type, data: sources } };
}

/** Returns the blobs, as sent, that an upload takes octets of. */
export function referencedBlobs(upload: Upload): readonly string[] {
  return upload.data.flatMap((source) => (source.kind === 'blob' ? [source.blobId] : []));
}

/** Returns a data source, or what is wrong with it. */
function parseSource(value: JsonValue): DataSource | string {
  if (!isJsonObject(value)) return 'must be an object';
  const unknown = Object.keys(value).find((name) => !SOURCE_MEMBERS.has(name));
  if (unknown !== undefined) return `has the unknown member ${quoted(unknown)}`;
  const text = member(value, 'data:asText');
  const base64 = member(value, 'data:asBase64');
  const blobId = member(value, 'blobId');
  const choices = [text, base64, blobId].filter((choice) => choice !== null);
  if (choices.length !== 1 || typeof choices[0] !== 'string') {
    return 'must have exactly one of the strings "data:asText", "data:asBase64" and "blobId"';
  }
  if (typeof blobId === 'string') return parseRange(value, blobId);
  if (member(value, 'offset') !== null || member(value, 'length') !== null) {
    return 'has "offset" or "length", which only a "blobId" takes';
  }
  if (typeof text === 'string') return { kind: 'octets', octets: Buffer.from(text, 'utf8') };
  const octets = Buffer.from(choices[0], 'base64');
  // The decoder skips what it doesn't know; only what it would write itself is base64 (RFC 4648 4).
  if (octets.toString('base64') !== choices[0]) return 'has "data:asBase64" that is no base64';
  return { kind: 'octets', octets };
}

function parseRange(value: JsonObject, blobId: string): DataSource | string {
  const offset = member(value, 'offset') ?? 0;
  const length = member(value, 'length');
  if (!isUnsignedInt(offset)) return 'has an "offset" that is no UnsignedInt';
  if (length !== null && !isUnsignedInt(length)) return 'has a "length" that is no UnsignedInt';
  return { kind: 'blob', blobId, offset, length };
}

function invalid(problems: readonly (readonly [string, string])[]): ParsedUpload {
  const names = new Set(problems.map(([name]) => name).filter((name) => name !== ''));
  const why = sentence(problems.map(([, text]) => text));
  return {
    kind: 'refused',
    error: setError('invalidProperties', why, { properties: [...names] }),
  };
}

function member(object: JsonObject, name: string): JsonValue {
  return memberOf(object, name) ?? null;
}

function isUnsignedInt(value: JsonValue): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
