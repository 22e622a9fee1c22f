import type { PropertyKind } from '../capability/definition.js';
import { formatNamed } from '../capability/formats/index.js';
import type { JsonValue } from '../protocol/json.js';
import { type Located, member, text } from './located.js';

/** The types of a schema. */
export type TypeName = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object';

/** A JSON type, as the language knows it. */
interface TypeRow {
  /** The kind of its column, unless a format gives another. */
  readonly kind: PropertyKind;
  /** The keys that bound its values, which JSON Schema has too. */
  readonly bounds: readonly string[];
  /** Names in other languages, in lower case: messages answer them with the name here. */
  readonly otherNames: readonly string[];
  /** The keys that belong beside it, in the words of a message. */
  readonly beside?: string;
  /** Its names on the wire and in TypeScript, and what its values are. */
  readonly wire: string;
  readonly typescript: string;
  readonly description: string;
}

/** The types that a property can have, by name, in the order of the reference. */
export const TYPES: Readonly<Record<TypeName, TypeRow>> = Object.freeze({
  string: {
    kind: 'string',
    bounds: ['minLength', 'maxLength', 'pattern', 'format'],
    otherNames: ['text', 'str', 'varchar', 'char', 'citext'],
    beside: 'maxLength',
    wire: 'String',
    typescript: 'string',
    description: 'text without U+0000.',
  },
  boolean: {
    kind: 'boolean',
    bounds: [],
    otherNames: ['bool', 'bit'],
    wire: 'Boolean',
    typescript: 'boolean',
    description: 'true or false.',
  },
  integer: {
    kind: 'integer',
    bounds: ['minimum', 'maximum'],
    otherNames: [
      ...['int', 'int8', 'int16', 'int32', 'int64', 'uint', 'unsignedint'],
      ...['smallint', 'bigint', 'short', 'long', 'serial'],
    ],
    wire: 'Int',
    typescript: 'number',
    description: 'an integer that a double holds exactly.',
  },
  number: {
    kind: 'number',
    bounds: ['minimum', 'maximum'],
    otherNames: ['float', 'float32', 'float64', 'double', 'real'],
    wire: 'Number',
    typescript: 'number',
    description: 'the nearest double.',
  },
  array: {
    kind: 'json',
    bounds: ['minItems', 'maxItems', 'uniqueItems'],
    otherNames: ['list'],
    beside: 'items',
    wire: 'a list',
    typescript: 'T[]',
    description: 'as `items` says.',
  },
  object: {
    kind: 'json',
    bounds: ['minProperties', 'maxProperties'],
    otherNames: ['map', 'dict', 'json', 'jsonb', 'record', 'struct', 'any'],
    beside: 'properties or additionalProperties',
    wire: 'Object; with `additionalProperties` a map',
    typescript: 'an interface, or `{ [k: string]: T }`',
    description: 'as `properties` and `additionalProperties` say.',
  },
});

export const TYPE_NAMES = Object.freeze(Object.keys(TYPES)) as readonly TypeName[];

/** Returns the row of a type; undefined for a word that names none. */
export function typeNamed(name: string | undefined): TypeRow | undefined {
  return name !== undefined && Object.hasOwn(TYPES, name) ? TYPES[name as TypeName] : undefined;
}

/**
 * Returns the one type of a schema and whether null is allowed beside it. Sets and unions are
 * objects, and a `const` has its value's type. The type is undefined where none or several are
 * given; it may be a word that names none.
 */
export function typeOf(node: Located): { type: string | undefined; nullable: boolean } {
  const type = member(node, 'type');
  const constant = member(node, 'const');
  const ofConst = constant === undefined ? undefined : typeOfValue(constant.value);
  const isObject = member(node, 'setOf') !== undefined || member(node, 'oneOf') !== undefined;
  const fallback = isObject ? 'object' : ofConst;
  if (type?.items === undefined) return { type: text(type) ?? fallback, nullable: false };
  const names = type.items.map(text);
  const others = names.filter((name) => name !== 'null');
  return {
    type: others.length === 1 ? others[0] : undefined,
    nullable: names.includes('null'),
  };
}

/** Keys that say of the keys of a set what they are: beside `setOf: string`, or within `setOf`. */
export const KEYS_OF_SETS: readonly string[] = [
  ...['minLength', 'maxLength', 'pattern', 'enum', 'normalize'],
];

/** Returns the type of a JSON value; undefined for null, which has no type of its own. */
export function typeOfValue(value: JsonValue): TypeName | undefined {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  return value === null ? undefined : 'object';
}

/** Returns the kind of a column for a type and a format. Undefined for a type that there isn't. */
export function kindOf(
  type: string | undefined,
  format: string | undefined,
): PropertyKind | undefined {
  const kind = typeNamed(type)?.kind;
  return kind === 'string' ? (formatNamed(format)?.kind ?? kind) : kind;
}
