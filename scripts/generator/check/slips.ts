import { TYPE_NAMES } from '../descriptor/kinds.js';
import { meantWord } from './did-you-mean.js';

/** Words of other schema languages, each with the words to write here. They follow "is not ...". */

const MOMENT = "Write type: string, format: utc-date ([string, 'null'] where it may be null).";
const DAY = String.raw`Write a day without a time as type: string, pattern: '^\d{4}-\d{2}-\d{2}$'.`;
const TIME = "Write a time without a day as type: string, pattern: '^\\d{2}:\\d{2}:\\d{2}$'.";
const EXACT =
  'A number is a double: for exact amounts write type: integer and count the smallest unit, such ' +
  'as cents.';
const FILE = "Write type: [string, 'null'], blob: true.";
const FREE_TEXT = 'Leave format out; a pattern can say what the text looks like.';
const NO_WIDTH = 'Leave format out; minimum and maximum bound a number.';

const TYPES: Readonly<Record<string, string>> = words({
  'Write type: integer.':
    'int int8 int16 int32 int64 smallint bigint long short serial unsignedint uint',
  'Write type: number.': 'float double real float32 float64',
  [EXACT]: 'decimal numeric money bigdecimal',
  'Write type: boolean.': 'bool bit',
  [MOMENT]: 'datetime date-time timestamp timestamptz instant utc-date utcdate',
  [DAY]: 'date full-date',
  [TIME]: 'time',
  'Write type: string, and maxLength beside it.': 'text varchar char str citext email url uri',
  'Write type: string, format: id.': 'uuid id guid',
  'Write type: object, and properties or additionalProperties beside it.':
    'map dict json jsonb record struct any',
  'Write type: array, and items beside it.': 'list',
  'Write setOf: string.': 'set',
  'Write type: string, enum: [...].': 'enum',
  'Write type: string, references: Type, with the name of one of your types.':
    'ref reference references relation foreignkey link',
  [FILE]: 'blob file binary bytes bytea',
});

const FORMATS: Readonly<Record<string, string>> = words({
  'Write format: utc-date.': 'date-time datetime timestamp iso8601 utcdate',
  [DAY]: 'full-date day',
  [TIME]: 'time full-time partial-time',
  [EXACT]: 'decimal money currency',
  'Write format: id.': 'uuid guid',
  [NO_WIDTH]: 'int32 int64 integer float double',
  [FREE_TEXT]: 'email uri url uri-reference hostname ipv4 ipv6 duration regex json-pointer phone',
  [FILE]: 'binary byte base64 file',
  'Write access: secret.': 'password',
});

/** Keys that other languages have: what to write instead. */
export const REFUSED: Readonly<Record<string, string>> = Object.freeze({
  oneOf: 'a value has one shape; write the shape that covers all of them',
  anyOf: 'a value has one shape; write the shape that covers all of them',
  allOf: 'write all keys into the one schema',
  not: 'say what is allowed',
  if: 'a value has one shape',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'a value has one shape',
  else: 'a value has one shape',
  patternProperties: 'use additionalProperties with a schema',
  dependencies: 'properties are independent of each other',
  const: 'use enum with one value',
  nullable: "write type: [string, 'null']",
  optional: "give the property a default, or make it nullable: type: [string, 'null']",
  readOnly: 'write access: serverSet',
  writeOnly: 'write access: secret',
  '<<': 'YAML 1.2 has no merge; repeat the keys, or name a whole value with & and *',
});

/** A legal value of each key for which people often write another shape. */
export const SHAPES: Readonly<Record<string, string>> = Object.freeze({
  types: 'types: { Thing: { properties: { title: { type: string } } } }',
  properties: 'properties: { title: { type: string } }',
  required: 'required: [title]',
  filter: 'filter: { title: contains }',
  sort: 'sort: [title, created]',
  enum: 'enum: [small, large]',
  items: 'items: { type: string }',
  standardMethods: 'standardMethods: [get, query]',
  drops: 'drops: [oldName]',
});

/** Returns the advice for a wrong word for a type; undefined if there is none. */
export function typeAdvice(word: string): string | undefined {
  const optional = /^(\w+)(?:\?| ?\| ?null)$/.exec(word)?.[1];
  return optional === undefined
    ? advice(TYPES, word)
    : `Write type: [${meantWord(optional, TYPE_NAMES) ?? optional}, 'null'].`;
}

/** Returns the advice for a wrong word for a format; undefined if there is none. */
export function formatAdvice(word: string): string | undefined {
  return advice(FORMATS, word);
}

function advice(table: Readonly<Record<string, string>>, word: string): string | undefined {
  const known = word.toLowerCase();
  return Object.hasOwn(table, known) ? table[known] : undefined;
}

function words(byAdvice: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const rows = Object.entries(byAdvice).flatMap(([text, list]) =>
    list.split(' ').map((word) => [word, text] as const),
  );
  return Object.freeze(Object.fromEntries(rows));
}
