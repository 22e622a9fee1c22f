import libmime from 'libmime';
import { removeComments } from './lexer.js';
import type { HeaderField } from './scanner.js';
import { decodeWords } from './words.js';

/** The properties of a body part that its header has (RFC 8621 4.1.4). */
export interface PartFields {
  readonly name: string | null;
  readonly type: string;
  readonly charset: string | null;
  readonly disposition: string | null;
  readonly cid: string | null;
  readonly language: readonly string[] | null;
  readonly location: string | null;
  readonly boundary: string | null;
  readonly encoding: string;
}

/** A value and its parameters, with names in lower case. */
interface Structured {
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

/** A field with parameters is read up to here. */
const MAX_VALUE = 10_000;

/** Returns what a header says; without a Content-Type the part has the implicit type. */
export function readPartFields(headers: readonly HeaderField[], implicit: string): PartFields {
  const field = (name: string) => findField(headers, name);
  const content = readStructured(field('content-type'));
  const disposition = readStructured(field('content-disposition'));
  const type = readType(content, implicit);
  const implied = type.startsWith('text/') ? 'us-ascii' : null;
  const charset = content?.params.get('charset') ?? implied;
  return {
    name: disposition?.params.get('filename') ?? content?.params.get('name') ?? null,
    type,
    charset: charset === null ? null : removeComments(charset),
    disposition: disposition?.value.toLowerCase() || null,
    cid: readCid(field('content-id')),
    language: readLanguages(field('content-language')),
    location: readLocation(field('content-location')),
    boundary: content?.params.get('boundary') ?? null,
    encoding: removeComments(field('content-transfer-encoding') ?? '').toLowerCase(),
  };
}

function findField(headers: readonly HeaderField[], name: string): string | null {
  const found = headers.findLast((header) => header.name.toLowerCase() === name);
  return found === undefined ? null : found.value.slice(0, MAX_VALUE);
}

/** Returns a type in lower case. A text that is no type counts as text/plain (RFC 2045 5.2). */
function readType(content: Structured | null, implicit: string): string {
  const type = content?.value.toLowerCase() ?? '';
  if (content === null || type === '') return implicit;
  return /^[^\s/;]+\/[^\s/;]+$/.test(type) ? type : 'text/plain';
}

function readStructured(field: string | null): Structured | null {
  if (field === null) return null;
  const parsed = libmime.parseHeaderValue(unfold(field));
  const isDecoded = new Set(parsed.decodedParams);
  const params = Object.entries(parsed.params).map(([name, text]): [string, string] => {
    const decoded = isDecoded.has(name) ? text : decodeWords(text);
    return [name.toLowerCase(), decoded.replace(/\p{Cc}/gu, '').normalize('NFC')];
  });
  return { value: removeComments(parsed.value), params: new Map(params) };
}

function unfold(field: string): string {
  return field.replace(/\r?\n(?=[ \t])/g, '');
}

function readCid(field: string | null): string | null {
  const text = removeComments(field ?? '').replace(/\s+/g, '');
  return /^<?([^<>]+)>?$/.exec(text)?.[1] ?? null;
}

function readLanguages(field: string | null): string[] | null {
  const tags = removeComments(field ?? '')
    .split(',')
    .map((tag) => tag.trim());
  const known = tags.filter((tag) => tag !== '');
  return known.length === 0 ? null : known;
}

/** A URI that is folded has no spaces at its folds (RFC 2557 4.4.1). */
function readLocation(field: string | null): string | null {
  return decodeWords(field ?? '').replace(/\s+/g, '') || null;
}
