import type { JSONSchema7 } from 'json-schema';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { type Matcher, satisfying } from '../expected.js';
import { givable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { keysOf, kindsOf, ofSchema, schemaOf, size, valuesOf } from '../subject/values.js';

/** Where a PatchObject can reach into a type's values, as its descriptor has them. */

/** A place within a property's value that a patch can name. */
export interface Place {
  /** Tokens after the property's name, unescaped. */
  readonly path: readonly string[];
  readonly pointer: string;
  readonly schema: JSONSchema7;
  readonly value: Json;
  /** A required member can't be removed. */
  readonly required: boolean;
}

/** Places of a property that are tried. */
const MOST = 14;

/** Returns the properties that hold any JSON. */
const json = ({ described }: Subject): readonly ModelProperty[] =>
  givable(described).filter(({ kind, access }) => kind === 'json' && access === 'mutable');

/** Mutable properties whose values are objects, maps or sets. */
export const objectsOf = (subject: Subject): readonly ModelProperty[] =>
  json(subject).filter(({ schema }) => kindsOf(schema).includes('object'));

/** Why checks of patches within objects can't be run for a type; null where they can. */
export const noObjects = (subject: Subject): string | null =>
  objectsOf(subject).length > 0 ? null : 'No mutable property has objects or maps as values.';

/** Those whose values are lists. */
export const listsOf = (subject: Subject): readonly ModelProperty[] =>
  json(subject).filter(({ schema }) => kindsOf(schema).includes('array'));

/**
 * Returns the properties that have entries under keys of the client's choice, and one value that an
 * entry may have.
 */
export function mapsOf(subject: Subject): readonly { property: ModelProperty; value: Json }[] {
  return objectsOf(subject).flatMap((property) => {
    const { properties, additionalProperties } = property.schema;
    if (properties !== undefined || additionalProperties === false) return [];
    const value = entryOf(property.schema);
    return value === undefined ? [] : [{ property, value }];
  });
}

/** Those maps whose keys may be any short text. */
export const freeMapsOf = (subject: Subject) =>
  mapsOf(subject).filter(({ property: { schema } }) => {
    const { enum: only, pattern, format, minLength = 0 } = schemaOf(schema.propertyNames);
    const { minProperties = 0, maxProperties = 100 } = schema;
    const isFree = only === undefined && pattern === undefined && format === undefined;
    return isFree && minLength === 0 && minProperties === 0 && maxProperties >= 6;
  });

/** A value that a place may have instead of its own, in so many octets. */
export const otherThan = ({ schema, value }: Place, most: number): Json | undefined =>
  isSet(schema)
    ? undefined
    : ofSchema(schema).good.find((one) => one !== null && !same(one, value) && size(one) < most);

/** Tells whether the values of a map are all true: then it is a set. */
export const isSet = (schema: JSONSchema7): boolean => schema.enum?.[0] === true;

/** A value that an entry of a map may have, and that is no null. */
function entryOf({ additionalProperties }: JSONSchema7): Json | undefined {
  const of = schemaOf(additionalProperties);
  return isSet(of) ? true : ofSchema(of).good.find((one) => one !== null);
}

/** Values of a property that are small enough to be tried. */
const small = (subject: Subject, property: ModelProperty): readonly Json[] =>
  valuesOf(property).good.filter(
    (one) =>
      one !== null &&
      size(one) < Math.min(4000, subject.profile.octets / 4) &&
      Object.keys(one).length < 20,
  );

/** The largest value that is not one of many entries, so that there is most to name in it. */
export function richest(subject: Subject, property: ModelProperty): JsonMap {
  const [largest] = small(subject, property).toSorted((a, b) => size(b) - size(a));
  return (largest ?? {}) as JsonMap;
}

/** The value with the most places. */
export function fullest(subject: Subject, property: ModelProperty): JsonMap {
  const count = (value: Json) => placesIn(property.name, property.schema, value, []).length;
  const [first] = small(subject, property).toSorted((a, b) => count(b) - count(a));
  return (first ?? {}) as JsonMap;
}

/** Members and entries of a value, those of them, and so on. */
export function placesOf({ name, schema }: ModelProperty, value: Json): readonly Place[] {
  return placesIn(name, schema, value, []).slice(0, MOST);
}

function placesIn(
  name: string,
  schema: JSONSchema7,
  value: Json,
  path: readonly string[],
): readonly Place[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const { properties, additionalProperties, required = [], minProperties } = schema;
  if (properties === undefined && schemaOf(additionalProperties).type === undefined) return [];
  const near: Place[] = [];
  const deep: Place[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const of = schemaOf(properties?.[key] ?? additionalProperties);
    const here = [...path, key];
    near.push({
      path: here,
      pointer: pointerTo(name, here),
      schema: of,
      value: inner,
      required: required.includes(key) || minProperties !== undefined,
    });
    deep.push(...placesIn(name, of, inner, here));
  }
  // Some of each level: the deepest are what is told apart last.
  return Array.from({ length: Math.max(near.length, deep.length) }, (_, index) =>
    [near[index], deep[index]].filter((one) => one !== undefined),
  ).flat();
}

/** RFC 6901 3 and 4, without the slash in front. */
export const pointerTo = (name: string, path: readonly string[]): string =>
  [name, ...path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

/** A value with another one at a place, or without it. */
export function replaced(
  whole: JsonMap,
  [key = '', ...rest]: readonly string[],
  value?: Json,
): JsonMap {
  const entries = Object.entries(whole).filter(([name]) => name !== key);
  const inner = Object.entries(whole).find(([name]) => name === key)?.[1];
  const now = rest.length === 0 ? value : replaced(inner as JsonMap, rest, value);
  return Object.fromEntries(now === undefined ? entries : [...entries, [key, now]]);
}

/** Keys of a map that its value doesn't have, and some that it may not have. */
export function otherKeys(schema: JSONSchema7, value: JsonMap) {
  const { good, bad } = keysOf(schema);
  return {
    good: good.map(String).filter((key) => !Object.hasOwn(value, key)),
    bad: bad.map(String),
  };
}

/** A SetError about a property, or about something within it: either may be named (5.3). */
export function refusalOf(name: string): Matcher {
  return satisfying(`invalidProperties of ${name}`, (actual) => {
    const { type, properties } = (actual ?? {}) as JsonMap;
    const isNamed = (one: Json) => one === name || String(one).startsWith(`${name}/`);
    const isTold =
      properties === undefined || (Array.isArray(properties) && properties.every(isNamed));
    return type === 'invalidProperties' && isTold;
  });
}
