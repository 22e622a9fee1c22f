import type { JSONSchema7 } from 'json-schema';
import type { BranchStep } from '../../../src/capability/places.js';
import {
  type Branch,
  branchesIn,
  isUnion,
  type UnionSchema,
} from '../../../src/descriptor/branches.js';
import { isEnd } from '../../../src/descriptor/nesting.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { JsonValue } from '../../../src/protocol/json.js';

/** A JSON Schema of which nothing is known. */
type Schema = Readonly<Record<string, unknown>>;

const UPPER = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const LOWER = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const EXACT = ['pattern', 'format', 'multipleOf', 'uniqueItems'];

/**
 * Returns in words what was legal and no longer is; undefined where nothing is known to be. `path`:
 * the place of the schemas in the value, as `a/b`; empty for the value itself.
 */
export function narrowed(before: unknown, after: unknown, path: string): string | undefined {
  if (!isSchema(before) || !isSchema(after)) {
    return after === false && before !== false ? `${path || 'a value'} is refused now` : undefined;
  }
  const at = path === '' ? '' : `"${path}" `;
  // Nothing was legal beyond the depth of a definition that contains itself.
  if (isEnd(before)) return undefined;
  if (isEnd(after)) return `${at}lies within ${after.beyondDepth} levels, and nests no deeper now`;
  const branches = narrowedBranches(before, after, path);
  if (branches !== NO_UNION) return branches;
  return (
    compareTypeWords(before, after, at) ??
    compareEnums(before, after, at) ??
    compareBounds(before, after, at) ??
    narrowedMembers(before, after, path) ??
    narrowedParts(before, after, path)
  );
}

/** Tells that neither of two schemas is a union. */
const NO_UNION = Symbol();

/**
 * Compares unions by their branches, and an object with the branches that take its values. A union
 * that is one object now is compared branch by branch.
 */
function narrowedBranches(
  before: Schema,
  after: Schema,
  path: string,
): string | undefined | typeof NO_UNION {
  const at = path === '' ? '' : `"${path}" `;
  const now = branchesIn(after);
  if (now.length === 0 && !isUnion(before)) return NO_UNION;
  const types = compareTypeWords(before, after, at);
  if (types !== undefined) return types;
  const by = now[0]?.step.branch;
  const old = isUnion(before)
    ? branchesIn(before)
    : branchesIn({ oneOf: [before], discriminator: by } as UnionSchema);
  for (const { schema: of, step } of old) {
    const schema = of as Schema;
    if (by !== undefined && step.branch !== by) return `${at}tells its branches by "${by}" now`;
    const values: readonly Tag[] = step.others === true ? [OTHER, ...missing(step)] : step.of;
    for (const value of values) {
      const target =
        by === undefined ? after : (branchFor(now, value)?.schema as Schema | undefined);
      if (target === undefined) return `${at}takes no ${wordsOf(step.branch, value)} any more`;
      const what =
        by === undefined
          ? narrowed(schema, after, path)
          : narrowed(withoutMember(schema, by), withoutMember(target, by), path);
      if (what !== undefined) return `${what}, where ${wordsOf(step.branch, value)}`;
    }
  }
  return undefined;
}

/** A value of a discriminator that no branch names. */
const OTHER = Symbol();
type Tag = string | null | typeof OTHER;

/** Returns the absence of the member where a branch of all other values takes it. */
function missing({ of }: BranchStep): readonly null[] {
  return of.includes(null) ? [] : [null];
}

/** Returns the branch that takes a value of the discriminator. */
function branchFor(
  branches: readonly Branch<JSONSchema7>[],
  value: Tag,
): Branch<JSONSchema7> | undefined {
  return branches.find(({ step: { of, others } }) =>
    value === OTHER ? others === true : of.includes(value) !== (others === true),
  );
}

function wordsOf(member: string, value: Tag): string {
  if (value === OTHER) return `"${member}" of another value`;
  return value === null ? `value without "${member}"` : `"${member}": "${value}"`;
}

/** Returns the schema of a branch without the member that tells it from others. */
function withoutMember(schema: Schema, name: string): Schema {
  const { [name]: _own, ...properties } = membersOf(schema);
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return { ...schema, properties, required: required.filter((one) => one !== name) };
}

/** Returns the types that a value may no longer have, in words. */
function compareTypeWords(before: Schema, after: Schema, at: string): string | undefined {
  const now = typesOf(after);
  if (now === undefined) return undefined;
  const old = typesOf(before);
  if (old === undefined) return `${at}is ${now.join(' or ')} now, and was anything`;
  // Null has a refusal of its own (property-not-nullable), but not within a value.
  const gone = old.filter(
    (type) =>
      !now.includes(type) &&
      !(type === 'integer' && now.includes('number')) &&
      (type !== 'null' || at !== ''),
  );
  return gone.length === 0 ? undefined : `${at}takes no ${gone.join(' and no ')} any more`;
}

/** Returns the values that an enum or a constant has lost, or that there is one now. */
function compareEnums(before: Schema, after: Schema, at: string): string | undefined {
  const [old, values] = [valuesOf(before), valuesOf(after)];
  if (values === undefined) return undefined;
  if (old === undefined)
    return Array.isArray(after['enum'])
      ? `${at}has an enum now`
      : `${at}has const: ${JSON.stringify(after['const'])} now`;
  const now = new Set(values.map(canonicalJson));
  const gone = old.filter((value) => value !== null && !now.has(canonicalJson(value)));
  if (gone.length === 0) return undefined;
  return `${at}loses ${gone.map((value) => JSON.stringify(value)).join(', ')} of its enum`;
}

/** Returns the bound that allows fewer values than before; a new one does, too. */
function compareBounds(before: Schema, after: Schema, at: string): string | undefined {
  for (const [names, sign] of [
    [UPPER, 1],
    [LOWER, -1],
  ] as const)
    for (const name of names) {
      const now = after[name];
      if (typeof now !== 'number') continue;
      const old = before[name];
      if (old === undefined && name.startsWith('min') && now <= 0 && name !== 'minimum') continue;
      if (sign * sizeOf(before['const'], name) <= sign * now) continue;
      if (old === undefined) return `${at}has ${name}: ${now} now`;
      if (typeof old === 'number' && sign * now < sign * old)
        return `${at}has ${name}: ${now}, which was ${old}`;
    }
  for (const name of EXACT) {
    const now = after[name];
    if (now === undefined || now === false) continue;
    const old = before[name];
    if (canonicalJson(old ?? null) !== canonicalJson(now))
      return (
        `${at}has ${name}: ` +
        `${JSON.stringify(now)}${old === undefined ? ' now' : `, which was ${JSON.stringify(old)}`}`
      );
  }
  return undefined;
}

/** Returns what a bound of a constant is about: its length, or itself; NaN for any other. */
function sizeOf(value: unknown, bound: string): number {
  if (bound.endsWith('Length')) return typeof value === 'string' ? [...value].length : Number.NaN;
  const isValue = bound === 'minimum' || bound === 'maximum';
  return isValue && typeof value === 'number' ? value : Number.NaN;
}

/** Returns the values that a schema lists; undefined if it lists none. */
function valuesOf(schema: Schema): readonly JsonValue[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'] as readonly JsonValue[];
  return schema['const'] === undefined ? undefined : [schema['const'] as JsonValue];
}

function narrowedMembers(before: Schema, after: Schema, path: string): string | undefined {
  const [old, now] = [membersOf(before), membersOf(after)];
  const closed = after['additionalProperties'] === false;
  for (const name of Object.keys(old)) {
    const inner = path === '' ? name : `${path}/${name}`;
    if (now[name] === undefined && closed) return `"${inner}" is refused now`;
    const what = now[name] === undefined ? undefined : narrowed(old[name], now[name], inner);
    if (what !== undefined) return what;
  }
  const given = new Set(Array.isArray(before['required']) ? before['required'] : []);
  const more = (Array.isArray(after['required']) ? after['required'] : []).filter(
    (name) => !given.has(name),
  );
  return more.length === 0 ? undefined : `"${String(more[0])}" is required in it now`;
}

function narrowedParts(before: Schema, after: Schema, path: string): string | undefined {
  for (const name of ['items', 'additionalProperties', 'propertyNames']) {
    if (after[name] === undefined) continue;
    const inner = path === '' ? name : `${path}/${name}`;
    const closes = name === 'additionalProperties' && after[name] === false;
    // Named members that a closed object has are judged above; an open one held any.
    if (closes && before[name] === false) continue;
    const what = narrowed(before[name] ?? {}, after[name], inner);
    if (what !== undefined) return what;
  }
  return undefined;
}

function typesOf({ type }: Schema): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? (type as readonly string[]) : undefined;
}

function membersOf({ properties }: Schema): Schema {
  return isSchema(properties) ? properties : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
