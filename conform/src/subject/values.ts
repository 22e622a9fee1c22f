import type { JSONSchema7 } from 'json-schema';
import { isOfBranch } from '../../../src/capability/places.js';
import { branchesIn } from '../../../src/descriptor/branches.js';
import { normalizationsOf } from '../../../src/descriptor/model/text-rules.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { leastHeight, SampleDepth } from '../../../src/descriptor/nesting.js';
import { sampleOf } from '../../../src/descriptor/sample-values.js';
import { isMap, type Json, type JsonMap } from '../client/json.js';
import { listKinds, toSchema } from './least.js';
import { buildDeepest, hasEnd } from './nested.js';
import { listNumbers, listStrings, type Values } from './scalar-values.js';

export { listKinds, toSchema } from './least.js';
export type { Values } from './scalar-values.js';

/** Returns values that a property takes and values that it refuses, by its schema. */
export function listValues({ schema, nullable }: ModelProperty): Values {
  const { good, bad } = addDeepest(schema, listSchemaValues(schema));
  return {
    good: nullable ? [...good.filter((one) => one !== null), null] : good,
    bad: nullable ? bad.filter((one) => one !== null) : [...new Set([...bad, null])],
  };
}

/** Adds the deepest value of a definition that contains itself, and one that is too deep. */
function addDeepest(schema: JSONSchema7, { good, bad }: Values): Values {
  if (!hasEnd(schema)) return { good, bad };
  const deepest = buildDeepest(schema);
  const deeper = buildDeepest(schema, {});
  return {
    good: deepest === undefined ? good : [...good, deepest],
    bad: deeper === undefined ? bad : [...bad, deeper],
  };
}

/**
 * Returns values that a JSON schema allows, and values that it refuses. Null is one kind among
 * others.
 */
export function listSchemaValues(schema: JSONSchema7, outer = new SampleDepth()): Values {
  if (outer.leavesOut(schema)) return listFlattest(schema, outer);
  const depth = outer.within(schema);
  if (schema.oneOf !== undefined) return listUnion(schema, depth);
  const types = listKinds(schema);
  const kinds = types.filter((one) => one !== 'null');
  if (kinds.length === 0 && schema.enum === undefined) return ANYTHING;
  const values = listKindValues(schema, kinds[0] ?? 'string', depth);
  if (!types.includes('null')) return { good: values.good, bad: [...values.bad, null] };
  return { good: [...values.good.filter((one) => one !== null), null], bad: values.bad };
}

/** Returns values of each branch of a union, and values that no branch takes. */
function listUnion(schema: JSONSchema7, depth: SampleDepth): Values {
  const branches = branchesIn(schema).map((branch) => ({
    ...branch,
    values: listSchemaValues(branch.schema, depth),
  }));
  // Another branch may take a value that one refuses, unless the discriminator tells them apart.
  const bad = branches.flatMap(({ step, values }) =>
    values.bad.filter(
      (one) => !isMap(one) || (Object.hasOwn(one, step.branch) && isOfBranch(step, one)),
    ),
  );
  const isOpen = branches.some(({ step }) => step.others === true);
  const tag = branches[0]?.step.branch ?? '';
  const nulls = listKinds(schema).includes('null') ? { good: [null], bad: [] } : NO_NULLS;
  const longest = Math.max(0, ...branches.map(({ values }) => values.good.length));
  // Some of each branch first: callers may try the first few alone.
  const good = Array.from({ length: longest }, (_, index) =>
    branches.flatMap(({ values }) => values.good.slice(index, index + 1)),
  ).flat();
  return {
    good: [...good, ...nulls.good],
    bad: [
      ...new Set([...bad, { [tag]: 5 }, ...(isOpen ? [] : [{ [tag]: 'No such value' }])]),
    ].concat(nulls.bad),
  };
}

const NO_NULLS: Values = Object.freeze({ good: [], bad: [null] });

/** Returns one value where a definition lies within itself often enough, if there is one. */
function listFlattest(schema: JSONSchema7, depth: SampleDepth): Values {
  const isLegal = leastHeight(schema) < Number.POSITIVE_INFINITY;
  return { good: isLegal ? [sampleOf(schema, '', depth) as Json] : [], bad: [] };
}

const ANYTHING: Values = Object.freeze({
  good: [{}, { a: [1, { b: null }] }, 'text', 5, true, []],
  bad: ['a\u0000'],
});

/** Returns values of a schema, good and bad, for one JSON type. */
function listKindValues(schema: JSONSchema7, kind: string, depth: SampleDepth): Values {
  if (schema.const !== undefined) {
    return { good: [schema.const as Json], bad: ['no such value', 5.5, {}] };
  }
  if (schema.enum !== undefined && kind !== 'boolean') {
    return { good: schema.enum as Json[], bad: ['no such value', 5.5] };
  }
  switch (kind) {
    case 'boolean':
      return { good: (schema.enum as Json[]) ?? [true, false], bad: ['true', 0, {}] };
    case 'integer':
    case 'number':
      return listNumbers(schema, kind === 'integer');
    case 'string':
      return listStrings(schema);
    case 'array':
      return listLists(schema, depth);
    default:
      return listObjects(schema, depth);
  }
}

/** Returns lists of the shortest and the longest length, and lists beyond them. */
function listLists(
  { items, maxItems, minItems = 0, uniqueItems }: JSONSchema7,
  depth: SampleDepth,
): Values {
  const { good, bad } = listSchemaValues(toSchema(items), depth);
  const small = good.filter((one) => JSON.stringify(one).length < 300);
  const [first] = small;
  const shapes: Json[] = ['x', {}, 5];
  if (first === undefined) return { good: minItems === 0 ? [[]] : [], bad: shapes };
  const fillList = (count: number): Json[] =>
    Array.from({ length: count }, (_, n) => (uniqueItems === true ? addNumber(first, n) : first));
  const canFill = uniqueItems !== true || typeof first === 'string' || typeof first === 'number';
  const bounded = maxItems !== undefined && maxItems <= 1000 && canFill;
  return {
    good: [
      ...(minItems === 0 ? [[]] : []),
      small.slice(0, Math.max(3, minItems)),
      ...(bounded ? [fillList(maxItems)] : []),
    ],
    bad: [
      ...shapes,
      ...(bounded ? [fillList(maxItems + 1)] : []),
      ...(uniqueItems === true ? [[first, first]] : []),
      ...bad.map((one) => [one]),
    ],
  };
}

/** Returns a value that differs from others of its kind by a number. */
const addNumber = (value: Json, n: number): Json =>
  typeof value === 'number' ? value + n : `${String(value)}${n}`;

/**
 * Returns objects with all members and with few, and objects that lack one or have one too many.
 */
function listObjects(schema: JSONSchema7, depth: SampleDepth): Values {
  return schema.properties === undefined ? listMaps(schema, depth) : listMembers(schema, depth);
}

/** Returns objects with as few members as may be, with all, and with one that is wrong. */
function listMembers(schema: JSONSchema7, depth: SampleDepth): Values {
  const { properties = {}, required = [], additionalProperties: further = false } = schema;
  const members = Object.entries(properties).map(([name, member]) => ({
    name,
    ...listSchemaValues(toSchema(member), depth),
  }));
  const whole = Object.fromEntries(
    members.flatMap(({ name, good }) => (good[0] === undefined ? [] : [[name, good[0]]])),
  );
  const least = Object.fromEntries(
    Object.entries(whole).filter(([name]) => required.includes(name)),
  );
  const variants = members.flatMap(({ name, good }) =>
    good
      .slice(1)
      .filter((value) => JSON.stringify(value).length < 2000)
      .map((value): JsonMap => ({ ...least, [name]: value })),
  );
  return {
    good: [
      ...[whole, least, ...variants.slice(0, 12)],
      ...(further === true ? [{ ...least, noSuchMember: 1 }] : []),
    ],
    bad: [
      'x',
      [],
      5,
      // Another schema may take it or not.
      ...(further === false ? [{ ...least, noSuchMember: 1 }] : []),
      ...required.map((missing) => dropMember(whole, missing)),
      ...members.flatMap(({ name, bad }) => bad.map((value) => ({ ...least, [name]: value }))),
    ],
  };
}

/** Returns an object without one of its members. */
export function dropMember(value: JsonMap, name: string): JsonMap {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

/** Returns keys that a map may have, and keys that it may not have. */
export function listKeys(schema: JSONSchema7): Values {
  const names = toSchema(schema.propertyNames);
  const isFree =
    names.enum === undefined &&
    names.format === undefined &&
    names.pattern === undefined &&
    normalizationsOf(names) === undefined;
  const { good, bad } = listStrings({ type: 'string', maxLength: 255, ...names });
  const texts = (names.enum ??
    (isFree ? ['a', 'B', 'a/b~c', '__proto__', ...good] : good)) as Json[];
  const wrong = names.enum === undefined ? bad : ['no such value'];
  return { good: texts, bad: wrong.filter((one) => typeof one === 'string') };
}

/**
 * Returns maps of few and of many entries, and maps with one wrong key or value. A map of values
 * that are all true is a set.
 */
function listMaps(schema: JSONSchema7, depth: SampleDepth): Values {
  const { maxProperties, minProperties = 0, additionalProperties } = schema;
  const values = listSchemaValues(toSchema(additionalProperties), depth);
  const set = toSchema(additionalProperties).enum?.[0] === true;
  const good: readonly Json[] = set ? [true] : values.good.filter((one) => countOctets(one) < 2000);
  const bad: readonly Json[] = set ? [false, null, 1, 'true'] : values.bad;
  const [first] = good;
  const { good: keys, bad: wrongKeys } = listKeys(schema);
  const shapes: Json[] = ['x', [], 5];
  if (first === undefined) return { good: [{}], bad: shapes };
  const buildMap = (entries: readonly (readonly [Json, Json])[]): JsonMap =>
    Object.fromEntries(entries.map(([key, value]) => [String(key), value]));
  const fillMap = (count: number): JsonMap =>
    buildMap(
      Array.from({ length: count }, (_, n) => [`k${n}`, countOctets(first) > 50 ? {} : first]),
    );
  const isFree = toSchema(schema.propertyNames).enum === undefined;
  const isSmall = set || typeof first !== 'object';
  const bounded = maxProperties !== undefined && maxProperties <= 200 && isFree && isSmall;
  return {
    good: [
      ...(minProperties === 0 ? [{}] : []),
      buildMap(keys.slice(0, 3).map((key, n) => [key, good[n % good.length] ?? first])),
      ...keys.slice(3).map((key) => buildMap([[key, first]])),
      ...good.slice(1, 6).map((value) => buildMap([[keys[0] ?? 'a', value]])),
      ...(bounded ? [fillMap(maxProperties)] : []),
    ],
    bad: [
      ...shapes,
      ...wrongKeys.map((key) => buildMap([[key, first]])),
      ...bad.map((value) => buildMap([[keys[0] ?? 'a', value]])),
      ...(bounded ? [fillMap(maxProperties + 1)] : []),
    ],
  };
}

/** Returns the octets of a value as JSON. */
export const countOctets = (value: Json): number => Buffer.byteLength(JSON.stringify(value));
