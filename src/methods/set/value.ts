import type { PropertyDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { holdsBlobs } from '../../capability/places.js';
import { InexactNumber } from '../../protocol/inexact-number.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import { resolveId } from '../creation-ids.js';
import { resolvedBlobs } from './blobs.js';
import type { Problems } from './problems.js';
import { resolvedReferences } from './reference-values.js';

/** What a "#" in a value can mean. */
export interface CreationIds {
  /** Of earlier calls. */
  readonly earlier: ReadonlyMap<string, string>;
  /** Of this call, whether or not they come to be: its own type's alone. */
  readonly own: ReadonlyMap<string, string>;
  readonly ownType: string;
}

/** The id behind a "#" where objects of a type are meant: the call's own come first. */
export function resolveReference(ids: CreationIds, type: string, text: string): string | null {
  return type === ids.ownType
    ? resolveId(text, ids.own, ids.earlier)
    : resolveId(text, ids.earlier);
}

/**
 * How deep the value of a property may be nested before anything recurses into it. Emitted validators stop sooner
 * (src/capability/runtime.ts); this holds for any validator, since patches can deepen a value again and again, and
 * what no serialiser can follow could be stored and never be read.
 */
const MAX_DEPTH = 500;

/**
 * Returns the value as the database stores it: a text in the one form of its format (of a UTCDate
 * without a zero fraction and without digits beyond milliseconds, RFC 8620 1.4), ids in place of
 * "#" ids of blobs and objects, 0 for -0. Notes a value that has no such form, and returns it
 * unchanged. A validator may put doubles in the place of numbers that none holds: where there are
 * any the result is a copy, so that `value` stays what its author gave.
 */
export function canonicalValue(
  property: PropertyDefinition,
  value: JsonValue,
  createdIds: CreationIds,
  problems: Problems,
): JsonValue {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'string') return canonicalText(property, value, createdIds, problems);
  if (property.kind !== 'json') return value;
  const own = canBeShared(value, MAX_DEPTH) ? value : copyAroundNumbers(value, MAX_DEPTH);
  if (own === null) {
    problems.add(property.name, `is nested deeper than ${MAX_DEPTH} levels`);
    return value;
  }
  return resolveIds(property, own, createdIds, problems);
}

function canonicalText(
  property: PropertyDefinition,
  text: string,
  createdIds: CreationIds,
  problems: Problems,
): JsonValue {
  const format = formatOf(property);
  if (format?.canonical === undefined) return resolveIds(property, text, createdIds, problems);
  if (format.isLegal(text)) return format.canonical(text);
  problems.add(property.name, format.message);
  return text;
}

function resolveIds(
  property: PropertyDefinition,
  value: JsonValue,
  createdIds: CreationIds,
  problems: Problems,
): JsonValue {
  const { reference } = property;
  if (reference !== undefined) {
    const resolve = (text: string) => resolveReference(createdIds, reference.type, text);
    return resolvedReferences(property, value, resolve, problems);
  }
  return holdsBlobs(property)
    ? resolvedBlobs(property, value, createdIds.earlier, problems)
    : value;
}

/** Whether validators write nothing into the value, and it is nested no deeper than `levels`. */
function canBeShared(value: object, levels: number): boolean {
  if (levels === 0 || value instanceof InexactNumber) return false;
  if (Array.isArray(value)) return value.every((item) => canMemberBeShared(item, levels - 1));
  // In about half the time that Object.values takes for a large object.
  const members = value as JsonObject;
  return Object.keys(value).every((name) => canMemberBeShared(members[name], levels - 1));
}

function canMemberBeShared(value: JsonValue | undefined, levels: number): boolean {
  return typeof value !== 'object' || value === null || canBeShared(value, levels);
}

/**
 * The value with arrays and objects of its own around each number that no double holds. Null where
 * it is nested deeper than `levels`.
 */
function copyAroundNumbers(value: object, levels: number): JsonValue | null {
  if (value instanceof InexactNumber) return value as unknown as JsonValue;
  if (levels === 0) return null;
  const members = value as Record<string | number, JsonValue>;
  let own = members;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = members[key];
    if (typeof member !== 'object' || member === null) continue;
    const inner = copyAroundNumbers(member, levels - 1);
    if (inner === null) return null;
    if (inner === member && !(member instanceof InexactNumber)) continue;
    if (own === members) own = copyContainer(value);
    own[key] = inner;
  }
  return own;
}

function copyContainer(value: object): Record<string | number, JsonValue> {
  const copy = Array.isArray(value) ? [...value] : Object.assign(emptyObject(), value);
  return copy as Record<string | number, JsonValue>;
}
