import libmime from 'libmime';
import { type Field, FieldSet, isHeaderProperty, readHeaderProperties } from './build-fields.js';
import { dropNulls, type Given, isObject, type Problems } from './build-problems.js';
import { readPartFields } from './part-fields.js';

/** A body part that is to be written. */
export interface PartPlan {
  readonly type: string;
  readonly fields: readonly Field[];
  readonly source: PartSource;
}

/** Where the content of a part comes from. */
export type PartSource =
  | { readonly kind: 'blob'; readonly blobId: string; readonly hasType: boolean }
  | { readonly kind: 'multipart'; readonly parts: readonly PartPlan[] }
  | ({ readonly kind: 'text' } & PartText);

/** A text of bodyValues, and its octets in UTF-8. */
export interface PartText {
  readonly text: string;
  readonly octets: number;
}

/** The surroundings of a part that is judged. */
export interface PartContext {
  readonly problems: Problems;
  /** The texts of the Email by partId. */
  readonly texts: ReadonlyMap<string, PartText>;
  /** The parts so far. */
  readonly count: { parts: number };
  /** The type of a part that has none. */
  readonly type: string;
  readonly level: number;
}

/** A part deeper than this, or behind so many, is refused. The reader stops at as many parts. */
const MAX_DEPTH = 30;
const MAX_PARTS = 1000;

const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/** A property of a part: the header field that it stands for, and what a legal value is. */
interface PropertyRow {
  readonly field: string;
  readonly wanted: string;
  isLegal(value: unknown): boolean;
}

const isLine = (value: unknown) => typeof value === 'string' && !/\p{Cc}/u.test(value);
const isMatch = (pattern: RegExp) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value);

const PROPERTIES: Readonly<Record<string, PropertyRow>> = {
  type: { field: 'Content-Type', wanted: 'a type such as text/plain', isLegal: isMatch(TYPE) },
  charset: { field: 'Content-Type', wanted: 'a charset', isLegal: isMatch(/^[\w:.+-]{1,60}$/) },
  name: { field: 'Content-Disposition', wanted: 'a text of one line', isLegal: isLine },
  disposition: {
    field: 'Content-Disposition',
    wanted: 'a word such as attachment',
    isLegal: isMatch(/^[\w-]{1,60}$/),
  },
  cid: {
    field: 'Content-ID',
    wanted: 'a text without angle brackets and spaces',
    isLegal: isMatch(/^[^\s<>\p{Cc}]+$/u),
  },
  language: {
    field: 'Content-Language',
    wanted: 'a list of language tags',
    isLegal: (value) => Array.isArray(value) && value.every(isMatch(/^[A-Za-z0-9-]{1,60}$/)),
  },
  location: {
    field: 'Content-Location',
    wanted: 'a URI without spaces',
    isLegal: isMatch(/^[^\s\p{Cc}]+$/u),
  },
};

const CONTENT = new Set(['partId', 'blobId', 'size', 'subParts']);

/** Returns the plan of a part that a client gave, or null after it noted what is wrong. */
export function planPart(given: unknown, path: string, context: PartContext): PartPlan | null {
  const { problems } = context;
  context.count.parts += 1;
  if (context.count.parts > MAX_PARTS) {
    problems.add(path.split('/', 1)[0] ?? path, `an Email has at most ${MAX_PARTS} body parts.`);
    return null;
  }
  if (!isObject(given)) {
    problems.add(path, 'a body part is an object.');
    return null;
  }
  const part = dropNulls(given);
  const fields = new FieldSet(problems, `${path}/`);
  readOwnProperties(part, fields);
  readHeaderProperties(part, fields, (field) =>
    field === 'content-transfer-encoding' ? 'the server chooses the transfer encoding.' : null,
  );
  const type = readType(part, fields, context.type);
  const source = type.startsWith('multipart/')
    ? planMultipart(part, path, context)
    : planLeaf(part, path, context);
  if (source === null) return null;
  addContentFields(part, fields, { type, source });
  return { type, fields: fields.fields, source };
}

/** Judges the properties that stand for header fields, each by itself and beside the others. */
function readOwnProperties(part: Given, fields: FieldSet): void {
  for (const [property, value] of Object.entries(part)) {
    const row = Object.hasOwn(PROPERTIES, property) ? PROPERTIES[property] : undefined;
    if (row !== undefined) {
      if (!row.isLegal(value)) fields.refuse(property, `the value is ${row.wanted}.`);
      // Several of these properties share a field.
      fields.claim(row.field, row.field);
    } else if (property === 'headers')
      fields.refuse(property, 'give each header field as a property of its own.');
    else if (!CONTENT.has(property) && !isHeaderProperty(property))
      fields.refuse(property, 'a body part has no such property.');
  }
}

/** Returns the type of a part in lower case. */
function readType(part: Given, fields: FieldSet, implicit: string): string {
  if (typeof part['type'] === 'string') return part['type'].toLowerCase();
  const header = fields.fields.find(({ name }) => name.toLowerCase() === 'content-type');
  if (header === undefined) return Array.isArray(part['subParts']) ? 'multipart/mixed' : implicit;
  const { type } = readPartFields([header], implicit);
  if (type.startsWith('multipart/'))
    fields.refuse('header:Content-Type', 'give the type of a multipart as "type".');
  return type;
}

function planMultipart(part: Given, path: string, context: PartContext): PartSource | null {
  const { problems, level } = context;
  for (const property of ['partId', 'blobId', 'charset', 'size'])
    if (part[property] !== undefined) problems.add(`${path}/${property}`, 'a multipart has none.');
  const { subParts } = part;
  if (!Array.isArray(subParts) || subParts.length === 0 || level >= MAX_DEPTH) {
    const depth = `at most ${MAX_DEPTH} levels deep`;
    problems.add(`${path}/subParts`, `a multipart has a list of parts, ${depth}.`);
    return null;
  }
  const below = { ...context, type: 'text/plain', level: level + 1 };
  const parts = subParts.map((each, at) => planPart(each, `${path}/subParts/${at}`, below));
  return { kind: 'multipart', parts: parts.filter((each) => each !== null) };
}

function planLeaf(part: Given, path: string, context: PartContext): PartSource | null {
  const { problems, texts } = context;
  const { partId, blobId, subParts } = part;
  const refuse = (property: string, why: string) => problems.add(`${path}/${property}`, why);
  if (Array.isArray(subParts) && subParts.length === 0)
    return planLeaf(dropSubParts(part), path, context);
  if (subParts !== undefined) refuse('subParts', 'only a multipart has parts.');
  if (partId !== undefined && blobId !== undefined) {
    for (const property of ['partId', 'blobId'])
      refuse(property, 'a part has either a partId or a blobId.');
    return null;
  }
  if (partId === undefined) {
    if (typeof blobId === 'string') return { kind: 'blob', blobId, hasType: 'type' in part };
    refuse(blobId === undefined ? 'partId' : 'blobId', 'a part has a partId or a blobId.');
    return null;
  }
  for (const property of ['charset', 'size'])
    if (part[property] !== undefined) refuse(property, 'a part with a partId has none.');
  const text = typeof partId === 'string' ? texts.get(partId) : undefined;
  if (text === undefined) refuse('partId', 'bodyValues has no value of that name.');
  return text === undefined ? null : { kind: 'text', ...text };
}

function dropSubParts({ subParts: _none, ...part }: Given): Given {
  return part;
}

/** Adds the fields of a part's own properties. */
function addContentFields(
  part: Given,
  fields: FieldSet,
  { type, source }: { readonly type: string; readonly source: PartSource },
): void {
  const { name, disposition, cid, language, location } = part;
  const filename = typeof name === 'string' ? name : undefined;
  const nameOfType = disposition === undefined ? filename : undefined;
  const header = fields.fields.find((field) => field.name.toLowerCase() === 'content-type');
  if (header === undefined) {
    const params = {
      ...chooseCharset(part, type, source),
      ...(nameOfType && { name: nameOfType }),
    };
    fields.add('Content-Type', libmime.buildHeaderValue({ value: type, params }), 'type');
  } else {
    const { charset } = readPartFields([header], type);
    if (nameOfType !== undefined) fields.refuse('name', 'header:Content-Type has the name.');
    if (source.kind === 'text' && !/^(utf-8|us-ascii)$/i.test(charset ?? 'utf-8'))
      fields.refuse('header:Content-Type', 'the server writes texts in UTF-8.');
  }
  if (typeof disposition === 'string') {
    const params = filename === undefined ? {} : { filename };
    const value = libmime.buildHeaderValue({ value: disposition, params });
    fields.add('Content-Disposition', value, 'disposition');
  }
  if (typeof cid === 'string') fields.add('Content-ID', `<${cid}>`, 'cid');
  if (Array.isArray(language)) fields.add('Content-Language', language.join(', '), 'language');
  if (typeof location === 'string') fields.add('Content-Location', location, 'location');
}

/** The charset of a part: the client's, or that of a text that the server writes. */
function chooseCharset(part: Given, type: string, source: PartSource): { charset?: unknown } {
  if (part['charset'] !== undefined) return { charset: part['charset'] };
  if (source.kind !== 'text' || !type.startsWith('text/')) return {};
  return { charset: /^\p{ASCII}*$/u.test(source.text) ? 'us-ascii' : 'utf-8' };
}
