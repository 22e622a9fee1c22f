import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import { FORMATS, type Format } from '../../../../src/capability/formats/index.js';
import { BOUND_ROWS } from '../../../../src/descriptor/bounds.js';
import { KEY_TYPES } from '../../../../src/descriptor/check/fitting-keys.js';
import { REFUSED } from '../../../../src/descriptor/check/slips.js';
import {
  ACCESS,
  ACCOUNT_USES,
  NORMALIZE,
  ON_DESTROY,
  STORED,
  WHO,
  type Words,
} from '../../../../src/descriptor/key-words.js';
import { TYPES } from '../../../../src/descriptor/kinds.js';
import { META_SCHEMA } from '../../../../src/descriptor/meta-schema.js';
import { OPERATOR_NAMES, OPERATORS, operandsOf } from '../../../../src/descriptor/operators.js';
import { flow } from '../editor-schema.js';
import { COLUMN_TYPES } from '../prisma-data-tables.js';
import { code, table } from '../reference/markdown.js';
import type { Tables } from './index.js';

/** Returns the tables of docs/reference/descriptors.md, from the rows of the language. */
export function descriptorTables(): Tables {
  return {
    'keys of a capability': keys(META_SCHEMA),
    'keys of a quota': keys(named('quota')),
    'keys of a type': keys(named('dataType'), { owner: 'type' }),
    'keys of an access rule': keys(named('accessRule'), { owner: 'rule' }),
    who: words(WHO),
    'keys of a method': keys(named('method')),
    account: words(ACCOUNT_USES),
    bounds: bounds(),
    refused: refused(),
  };
}

/** Returns the tables of docs/reference/properties.md. */
export function propertyTables(): Tables {
  return {
    'keys of a value': valueKeys(named('schema')),
    'keys of a property': keys(named('property'), {
      others: Object.keys(propertiesOf(named('schema'))),
    }),
    types: types(),
    formats: formats(),
    normalize: words(NORMALIZE),
    access: words(ACCESS),
    stored: words(STORED),
    onDestroy: words(ON_DESTROY),
  };
}

/** Returns the tables of docs/reference/queries.md. */
export function queryTables(): Tables {
  return {
    'keys of a filter': keys(branch(named('filter'))),
    'keys of a sort': keys(branch(named('sort'))),
    operators: operators(),
  };
}

interface KeyList {
  /** Keys that stand in another list. */
  readonly others?: readonly string[];
  /** A word for the object, where one of its keys has another meaning elsewhere. */
  readonly owner?: string;
}

/** Returns the keys of an object of the language. */
function keys(schema: JSONSchema7, { others = [], owner }: KeyList = {}): readonly string[] {
  return Object.entries(propertiesOf(schema))
    .filter(([name]) => !others.includes(name))
    .map(([name, each]) => keyLine(name, each, schema.required?.includes(name), owner));
}

/** Returns a line with a key, an example of its value, and what it says. */
function keyLine(name: string, schema: JSONSchema7, isRequired = false, owner?: string): string {
  const place = `${owner} ${name}`;
  const [example] = (schema.examples ?? []) as readonly unknown[];
  const shown = example === undefined ? name : `${name}: ${valueText(example)}`;
  const needed = isRequired ? ' (required)' : '';
  const section = place in SECTIONS ? SECTIONS[place] : SECTIONS[name];
  const key = section === undefined ? code(shown) : `[${code(shown)}](${section})`;
  const words = place in WORDS_OF ? WORDS_OF[place] : WORDS_OF[name];
  return `- ${key}${needed}: ${inLine(sentenceOf(schema, words))}`;
}

/** Returns a value as a descriptor has it: in quotes if YAML would read it as something else. */
function valueText(value: unknown): string {
  return typeof value === 'string' && !/^\w/.test(value) ? `'${value}'` : flow(value);
}

/** Says what a key is for, if a section of a page lists its words. */
const WORDS_OF: Readonly<Record<string, string | undefined>> = Object.freeze({
  access: 'The readers and writers of the property.',
  'type access': undefined,
  'rule who': 'The users that the rule is about.',
  stored: 'How the server keeps a secret.',
  onDestroy: 'The effect of a destroy of the object referred to.',
  is: 'How the condition compares.',
  normalize: 'Changes of a text before it is judged and stored.',
  account: 'How the method uses the account: `none`, `read` or `write`.',
  standardMethods:
    'The standard methods of the type: a list, or an object that adds arguments and response ' +
    'members. With `[]` it has none: clients only see its state, in push.',
  setOf: 'A set: an object whose members are all true.',
  unique: 'Values that no two objects of an account share.',
  computed: 'The server computes the value.',
  unknownProperties:
    'Whether the server keeps properties that the type doesn’t declare, or refuses them.',
});

/** The section that has the rules and an example of a key. */
const SECTIONS: Readonly<Record<string, string | undefined>> = Object.freeze({
  $defs: 'properties.md#definitions',
  $ref: 'properties.md#definitions',
  methods: 'descriptors.md#methods',
  oauthScopes: 'descriptors.md#oauth-scopes',
  quotas: 'descriptors.md#quotas',
  plans: 'descriptors.md#quotas',
  standardMethods: 'descriptors.md#methods',
  transitions: 'descriptors.md#rules-between-values',
  immutableWhen: 'descriptors.md#rules-between-values',
  requiredWhen: 'descriptors.md#rules-between-values',
  errors: 'descriptors.md#errors',
  answered: 'properties.md#answered-properties',
  onRequest: 'properties.md#answered-properties',
  readable: 'properties.md#readers',
  perUser: 'properties.md#values-of-each-user',
  unknownProperties: 'properties.md#undeclared-properties',
  unique: 'properties.md#unique',
  optional: 'properties.md#optional-properties',
  access: 'properties.md#access',
  'type access': 'descriptors.md#access',
  'rule where': 'access.md#where',
  principal: 'access.md#properties-that-name-users',
  stored: 'properties.md#secrets',
  computed: 'properties.md#computed',
  normalize: 'properties.md#normal-forms',
  pattern: 'properties.md#patterns',
  references: 'properties.md#references',
  onDestroy: 'properties.md#references',
  acyclic: 'properties.md#references',
  blob: 'properties.md#blobs',
  setOf: 'properties.md#sets',
  oneOf: 'properties.md#unions',
  filter: 'queries.md#filters',
  sort: 'queries.md#sorts',
  query: 'queries.md#shapes-of-results',
  is: 'queries.md#operators',
  where: 'queries.md#parts-of-values',
});

/** Returns the keys of a schema, by the types that they go with. */
function valueKeys(schema: JSONSchema7): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const [name, each] of Object.entries(propertiesOf(schema))) {
    if (name === 'type' || name === 'format') continue;
    const group = KEY_TYPES[name]?.map(code).join(', ') ?? 'Any value';
    groups.set(group, [...(groups.get(group) ?? []), keyLine(name, each)]);
  }
  return [...groups].flatMap(([group, lines]) => [`${group}:`, '', ...lines, '']);
}

function types(): readonly string[] {
  return table(
    ['Type', 'On the wire', 'In the database', 'In TypeScript', 'Its values'],
    Object.entries(TYPES).map(([name, { kind, wire, typescript, description }]) => [
      code(name),
      cell(wire),
      COLUMN_TYPES[kind],
      typescript.includes('`') ? typescript : code(typescript),
      cell(description),
    ]),
  );
}

function formats(): readonly string[] {
  return table(
    ['Format', 'On the wire', 'For example', 'Its values'],
    Object.entries<Format>(FORMATS).map(([name, format]) => [
      code(name),
      format.notation,
      code(format.legal[0]),
      cell(`${format.description}${orderColumnOf(format)}`),
    ]),
  );
}

/** Names the further column that holds the order of a format, if it has one. */
function orderColumnOf({ order }: Format): string {
  return typeof order === 'string' ? '' : ` Order: ${code(`*_${order.name}`)}.`;
}

function operators(): readonly string[] {
  return table(
    ['Operator', 'Compares', 'Matches', 'For example', 'A client sends'],
    OPERATOR_NAMES.map((name) => {
      const { description, example } = OPERATORS[name];
      return [
        code(name),
        operandsOf(name).join(', '),
        cell(description),
        code(`${Object.keys(example)[0]}: ${name}`),
        code(JSON.stringify(example, null, 1).replaceAll(/\s+/g, ' ')),
      ];
    }),
  );
}

function bounds(): readonly string[] {
  const shown = (value: number): string =>
    value === Number.MAX_SAFE_INTEGER ? '2^53-1' : value.toLocaleString('en');
  return table(
    ['What', 'At most', 'Default'],
    BOUND_ROWS.map(({ what, fallback, most }) => [
      what,
      shown(most),
      fallback === undefined ? '' : shown(fallback),
    ]),
  );
}

function words(rows: Words<string>): readonly string[] {
  return Object.entries(rows).map(([word, meaning]) => `- ${code(word)}: ${inLine(meaning)}`);
}

/** Returns the keywords that are refused. Those with the same advice share a line. */
function refused(): readonly string[] {
  const names = new Map<string, string[]>();
  for (const [name, why] of Object.entries(REFUSED))
    names.set(why, [...(names.get(why) ?? []), code(name)]);
  return [...names].map(([why, each]) => `- ${each.join(', ')}: ${inLine(why)}`);
}

function named(name: string): JSONSchema7 {
  return asSchema(META_SCHEMA.definitions?.[name]);
}

/** Returns the object of a value that is a word or an object. */
function branch(schema: JSONSchema7): JSONSchema7 {
  return asSchema(schema.else);
}

function propertiesOf(schema: JSONSchema7): Readonly<Record<string, JSONSchema7>> {
  return (schema.properties ?? {}) as Record<string, JSONSchema7>;
}

function asSchema(schema: JSONSchema7Definition | undefined): JSONSchema7 {
  return typeof schema === 'object' ? schema : {};
}

/** Returns the description, or other words in its place, with the default, unless that is false. */
function sentenceOf({ description = '', default: fallback }: JSONSchema7, words?: string): string {
  return [
    words ?? description,
    ...(fallback === undefined || fallback === false ? [] : [`Default: ${code(flow(fallback))}.`]),
  ]
    .join(' ')
    .trim();
}

/** Returns words of this package, which are Markdown already, on one line. */
function inLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** Returns words of this package on one line, for a cell of a table: a bar would end it. */
function cell(text: string): string {
  return inLine(text).replaceAll('|', '\\|');
}
