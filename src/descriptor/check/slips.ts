import { FORMATS } from '../../capability/formats/index.js';
import { TYPE_NAMES, TYPES } from '../kinds.js';
import { meantWord } from './did-you-mean.js';

/**
 * Words of other schema languages, each with the words to write here. They follow "is not ...". The
 * tables of types and formats list the words for their own rows. This file adds words that have no
 * row, or more than one.
 */

const NULLABLE = "([string, 'null'] where it may be null)";
const DATE =
  `Write type: string ${NULLABLE}, and a format beside it. That is format: utc-date for a ` +
  'moment in UTC, format: date for one with its offset, or format: local-date for a day.';
const TIME_PATTERN = String.raw`pattern: '^\d{2}:\d{2}:\d{2}$'`;
const TIME = `Write a time without a day as type: string, ${TIME_PATTERN}.`;
const FILE = "Write type: [string, 'null'], blob: true.";
const FREE_TEXT = 'Leave format out; a pattern can say what the text looks like.';
const NO_WIDTH = 'Leave format out; minimum and maximum bound a number.';

/** Words of other schema languages, in lower case, and the advice for them. */
type Advice = readonly [words: readonly string[], text: string];

/** Advice by a word that stands behind `type`. */
const TYPE_WORDS: ReadonlyMap<string, string> = byWord([
  ...Object.entries(TYPES).map(([name, { otherNames, beside }]): Advice => {
    const more = beside === undefined ? '' : `, and ${beside} beside it`;
    return [otherNames, `Write type: ${name}${more}.`];
  }),
  ...Object.entries(FORMATS).map(
    ([name, { otherNames }]): Advice => [
      [name, ...otherNames],
      `Write type: string, format: ${name} ${NULLABLE}.`,
    ],
  ),
  [['date'], DATE],
  [['time'], TIME],
  [['set'], 'Write setOf: string.'],
  [['enum'], 'Write type: string, enum: [...].'],
  [
    ['ref', 'reference', 'references', 'relation', 'foreignkey', 'link'],
    'Write type: string, references: Type, with the name of one of your types.',
  ],
  [['blob', 'file', 'binary', 'bytes', 'bytea'], FILE],
]);

/** Advice by a word that stands behind `format`. */
const FORMAT_WORDS: ReadonlyMap<string, string> = byWord([
  ...Object.entries(FORMATS).map(
    ([name, { otherNames }]): Advice => [otherNames, `Write format: ${name}.`],
  ),
  [['time', 'full-time', 'partial-time'], TIME],
  [['int32', 'int64', 'integer', 'float', 'double'], NO_WIDTH],
  [['uri-reference', 'hostname', 'ipv4', 'ipv6'], FREE_TEXT],
  [['regex', 'json-pointer', 'phone'], FREE_TEXT],
  [['binary', 'byte', 'base64', 'file'], FILE],
  [['password'], 'Write access: secret.'],
]);

/** Keys that other languages have: what to write instead. */
export const REFUSED: Readonly<Record<string, string>> = Object.freeze({
  anyOf: 'write oneOf with a discriminator, or the shape that covers all values',
  allOf: 'write all keys into the one schema',
  not: 'say what is allowed',
  if: 'a value has one shape',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'a value has one shape',
  else: 'a value has one shape',
  patternProperties: 'use additionalProperties with a schema',
  dependencies: 'properties are independent of each other',
  nullable: "write type: [string, 'null']",
  optional: 'members may be absent unless `required` of their object names them',
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
  transitions: 'transitions: { status: { draft: [sent] } }',
  immutableWhen: 'immutableWhen: { status: [sent] }',
  requiredWhen: 'requiredWhen: { when: { status: [sent] }, properties: [number] }',
  access: 'access: [{ who: owner, read: true }]',
  update: 'update: [done]',
  errors: 'errors: [invoiceIsPaid]',
  drops: 'drops: [oldName]',
  quotas: 'quotas: { things: { types: [Thing], count: 1000 } }',
  plans: 'plans: { free: { things: 100 } }',
  oauthScopes: 'oauthScopes: { full: todos, read: todos.read }',
});

/** Returns the advice for a wrong word for a type; undefined if there is none. */
export function typeAdvice(word: string): string | undefined {
  const known = word.toLowerCase();
  const optional = /^([\w-]+)(?:\?| ?\| ?null)$/.exec(known)?.[1];
  if (optional === undefined) return TYPE_WORDS.get(known);
  const type = meantWord(optional, TYPE_NAMES);
  return type === undefined
    ? (TYPE_WORDS.get(optional) ?? `Write type: [${optional}, 'null'].`)
    : `Write type: [${type}, 'null'].`;
}

/** Returns the advice for a wrong word for a format; undefined if there is none. */
export function formatAdvice(word: string): string | undefined {
  return FORMAT_WORDS.get(word.toLowerCase());
}

/** Returns the advice by word. The last row with a word counts. */
function byWord(rows: readonly Advice[]): ReadonlyMap<string, string> {
  return new Map(rows.flatMap(([words, text]) => words.map((word) => [word, text] as const)));
}
