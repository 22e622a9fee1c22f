import type { JSONSchema7 } from 'json-schema';
import { isOfBranch } from '../../../src/capability/places.js';
import { branchesIn } from '../../../src/descriptor/branches.js';
import { normalizationsOf } from '../../../src/descriptor/model/text-rules.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { type Matcher, satisfying } from '../expected.js';
import { listGivable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import {
  countOctets,
  listKeys,
  listKinds,
  listSchemaValues,
  listValues,
  toSchema,
} from '../subject/values.js';

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
  /** It tells branches of a union apart, one of which takes every other text. */
  readonly opens: boolean;
}

/** Places of a property that are tried. */
const MOST = 14;

/** Returns the properties that hold any JSON: only those that no sample gives, if there are any. */
function findJson(subject: Subject): readonly ModelProperty[] {
  const found = listGivable(subject.described).filter(
    ({ kind, access }) => kind === 'json' && access === 'mutable',
  );
  const free = found.filter((property) => !subject.isSampled(property));
  return free.length > 0 ? free : found;
}

/** Finds the mutable properties whose values are objects, maps or sets. */
export const findObjects = (subject: Subject): readonly ModelProperty[] =>
  findJson(subject).filter(({ schema }) => listKinds(schema).includes('object'));

/** Returns why checks of patches within objects can't be run for a type; null where they can. */
export const needObjects = (subject: Subject): string | null =>
  findObjects(subject).length > 0 ? null : 'No mutable property has objects or maps as values.';

/** Finds the mutable properties whose values are lists. */
export const findLists = (subject: Subject): readonly ModelProperty[] =>
  findJson(subject).filter(({ schema }) => listKinds(schema).includes('array'));

/**
 * Finds the properties that have entries under keys of the client's choice, each with one value
 * that an entry may have.
 */
export function findMaps(subject: Subject): readonly { property: ModelProperty; value: Json }[] {
  return findObjects(subject).flatMap((property) => {
    const { properties, additionalProperties, oneOf } = property.schema;
    const isMap = properties === undefined && oneOf === undefined;
    if (!isMap || additionalProperties === false) return [];
    const value = findEntry(property.schema);
    return value === undefined ? [] : [{ property, value }];
  });
}

/** Finds the maps whose keys may be any short text. */
export const findFreeMaps = (subject: Subject) =>
  findMaps(subject).filter(({ property: { schema } }) => {
    const names = toSchema(schema.propertyNames);
    const { enum: only, pattern, format, minLength = 0 } = names;
    const { minProperties = 0, maxProperties = 100 } = schema;
    const isFree =
      only === undefined &&
      pattern === undefined &&
      format === undefined &&
      normalizationsOf(names) === undefined;
    return isFree && minLength === 0 && minProperties === 0 && maxProperties >= 6;
  });

/** Finds another value for a place, of fewer than so many octets; undefined where there is none. */
export const findOther = ({ schema, value }: Place, most: number): Json | undefined =>
  isSet(schema)
    ? undefined
    : listSchemaValues(schema).good.find(
        (one) => one !== null && !same(one, value) && countOctets(one) < most,
      );

/** Tells whether the values of a map are all true: then it is a set. */
export const isSet = (schema: JSONSchema7): boolean => schema.enum?.[0] === true;

/**
 * Finds a value, other than null, that an entry of a map may have; undefined where there is none.
 */
function findEntry({ additionalProperties }: JSONSchema7): Json | undefined {
  const of = toSchema(additionalProperties);
  return isSet(of) ? true : listSchemaValues(of).good.find((one) => one !== null);
}

/** Lists the values of a property that are small enough to be tried. */
const listSmall = (subject: Subject, property: ModelProperty): readonly Json[] =>
  listValues(property).good.filter(
    (one) =>
      one !== null &&
      countOctets(one) < Math.min(4000, subject.profile.octets / 4) &&
      Object.keys(one).length < 20,
  );

/**
 * Finds the largest value with fewer than 20 members, so that a patch has most to name; an empty
 * object where there is none.
 */
export function findRichest(subject: Subject, property: ModelProperty): JsonMap {
  const [largest] = listSmall(subject, property).toSorted(
    (a, b) => countOctets(b) - countOctets(a),
  );
  return (largest ?? {}) as JsonMap;
}

/** Finds the value with the most places; an empty object where there is none. */
export function findFullest(subject: Subject, property: ModelProperty): JsonMap {
  const countPlaces = (value: Json) =>
    collectPlaces(property.name, property.schema, value, []).length;
  const [first] = listSmall(subject, property).toSorted((a, b) => countPlaces(b) - countPlaces(a));
  return (first ?? {}) as JsonMap;
}

/** Lists the places within a value of a property, as many as are tried. */
export function listPlaces({ name, schema }: ModelProperty, value: Json): readonly Place[] {
  return collectPlaces(name, schema, value, []).slice(0, MOST);
}

/** Collects the members and entries of a value at each depth. Shallow and deep ones alternate. */
function collectPlaces(
  name: string,
  declared: JSONSchema7,
  value: Json,
  path: readonly string[],
): readonly Place[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const branches = branchesIn(declared);
  const isOpen = branches.some(({ step }) => step.others === true);
  const branch = branches.find(({ step }) => isOfBranch(step, value as JsonMap));
  const schema = branch?.schema ?? declared;
  const { properties, additionalProperties, required = [], minProperties } = schema;
  if (properties === undefined && toSchema(additionalProperties).type === undefined) return [];
  const near: Place[] = [];
  const deep: Place[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const of = toSchema(properties?.[key] ?? additionalProperties);
    const here = [...path, key];
    near.push({
      path: here,
      pointer: buildPointer(name, here),
      schema: of,
      value: inner,
      // Without the member that tells the branch, the value is of another branch, or of none.
      required:
        required.includes(key) || minProperties !== undefined || key === branch?.step.branch,
      opens: isOpen && key === branch?.step.branch,
    });
    deep.push(...collectPlaces(name, of, inner, here));
  }
  // Some of each level: the deepest are what is told apart last.
  return Array.from({ length: Math.max(near.length, deep.length) }, (_, index) =>
    [near[index], deep[index]].filter((one) => one !== undefined),
  ).flat();
}

/** Builds a JSON Pointer (RFC 6901 3 and 4) without the slash in front. */
export const buildPointer = (name: string, path: readonly string[]): string =>
  [name, ...path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

/**
 * Replaces the value at a place of an object, or takes it out where none is given. Returns a new
 * object.
 */
export function replaceAt(
  whole: JsonMap,
  [key = '', ...rest]: readonly string[],
  value?: Json,
): JsonMap {
  const entries = Object.entries(whole).filter(([name]) => name !== key);
  const inner = Object.entries(whole).find(([name]) => name === key)?.[1];
  const now = rest.length === 0 ? value : replaceAt(inner as JsonMap, rest, value);
  return Object.fromEntries(now === undefined ? entries : [...entries, [key, now]]);
}

/** Finds keys of a map that its value doesn't have, and some that it may not have. */
export function findOtherKeys(schema: JSONSchema7, value: JsonMap) {
  const { good, bad } = listKeys(schema);
  return {
    good: good.map(String).filter((key) => !Object.hasOwn(value, key)),
    bad: bad.map(String),
  };
}

/**
 * Matches a SetError invalidProperties whose names, where it has any, are the property or something
 * within it (RFC 8620 5.3).
 */
export function matchInvalid(name: string): Matcher {
  return satisfying(`invalidProperties of ${name}`, (actual) => {
    const { type, properties } = (actual ?? {}) as JsonMap;
    const isNamed = (one: Json) => one === name || String(one).startsWith(`${name}/`);
    const isTold =
      properties === undefined || (Array.isArray(properties) && properties.every(isNamed));
    return type === 'invalidProperties' && isTold;
  });
}
