import type { PropertyDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { holdsBlobs } from '../../capability/places.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
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
 * unchanged.
 */
export function canonicalValue(
  property: PropertyDefinition,
  value: JsonValue,
  createdIds: CreationIds,
  problems: Problems,
): JsonValue {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value === 'boolean' || value === null) return value;
  const { reference } = property;
  if (reference !== undefined) {
    const resolve = (text: string) => resolveReference(createdIds, reference.type, text);
    return resolvedReferences(property, value, resolve, problems);
  }
  if (typeof value === 'object' && property.kind === 'json' && isDeeperThan(value, MAX_DEPTH)) {
    problems.add(property.name, `is nested deeper than ${MAX_DEPTH} levels`);
    return value;
  }
  if (holdsBlobs(property)) {
    return resolvedBlobs(property, value, createdIds.earlier, problems);
  }
  if (typeof value !== 'string') return value;
  const format = formatOf(property);
  if (format?.canonical === undefined) return value;
  if (format.isLegal(value)) return format.canonical(value);
  problems.add(property.name, format.message);
  return value;
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isContainerDeeperThan(item, levels - 1));
  // In about half the time that Object.values takes for a large object.
  const members = value as JsonObject;
  return Object.keys(value).some((name) => isContainerDeeperThan(members[name], levels - 1));
}

function isContainerDeeperThan(value: JsonValue | undefined, levels: number): boolean {
  return typeof value === 'object' && value !== null && isDeeperThan(value, levels);
}
