import type { PropertyDefinition, ShareDefinition } from '../../capability/definition.js';
import { MAX_PRINCIPALS, MAX_RIGHTS } from '../../capability/share-bounds.js';
import {
  declaredObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import { type Problems, quoted } from '../issues.js';

/** The type's rights, and the findings. */
interface ShareScene {
  readonly share?: ShareDefinition | undefined;
  readonly problems: Problems;
}

/**
 * Returns the stored form of a `shareWith` (RFC 9670 4). Principals without a right that is true
 * go, and nothing left is null. A right that is false stays where it was given. Notes a value that
 * has no such form, and returns it unchanged.
 */
export function canonicalShares(
  { name }: PropertyDefinition,
  value: JsonValue,
  { share, problems }: ShareScene,
): JsonValue {
  if (value === null) return null;
  const why = faultOf(value, new Set(share?.rights));
  if (why !== null) {
    if (!problems.has(name)) problems.add(name, why);
    return value;
  }
  const shared = Object.entries(value as JsonObject).filter(
    ([, rights]) => rightsIn(rights).length > 0,
  );
  return shared.length === 0 ? null : Object.assign(declaredObject(), Object.fromEntries(shared));
}

/** Completes the sentence that the property's name begins; null where nothing is wrong. */
function faultOf(value: JsonValue, legal: ReadonlySet<string>): string | null {
  if (!isJsonObject(value)) return 'must be a map of principals and their rights, or null';
  const entries = Object.entries(value);
  if (entries.length > MAX_PRINCIPALS)
    return `has ${entries.length} principals: it takes ${MAX_PRINCIPALS} at most`;
  for (const [id, rights] of entries) {
    if (!isJsonObject(rights)) return `must give ${quoted(id)} a map of rights`;
    for (const [right, isGiven] of Object.entries(rights)) {
      if (!legal.has(right)) {
        const all = [...legal].join(', ');
        return `gives ${quoted(id)} the unknown right ${quoted(right)}: the rights are ${all}`;
      }
      if (typeof isGiven !== 'boolean')
        return `must give ${quoted(id)} true or false for ${quoted(right)}`;
    }
  }
  const given = countRights(value);
  return given > MAX_RIGHTS ? `gives ${given} rights: it gives ${MAX_RIGHTS} at most` : null;
}

function countRights(value: JsonObject): number {
  return Object.values(value).reduce((sum: number, rights) => sum + rightsIn(rights).length, 0);
}

/** Returns the ids that a stored `shareWith` names. */
export function principalsNamed(value: JsonValue): readonly string[] {
  return isMapOfRights(value) ? Object.keys(value) : NONE;
}

/**
 * Returns a stored `shareWith` without rights that the type has no more, and without principals
 * that are not among `users`. It is null where the value is none: before the type was shared, a
 * property of its own may have had the name.
 */
export function knownShares(
  { rights }: ShareDefinition,
  value: JsonValue,
  users: ReadonlySet<string>,
): JsonValue {
  if (!isMapOfRights(value)) return null;
  const shared = Object.entries(value).map(([id, given]) => {
    const known = Object.entries(given).filter(([right]) => rights.includes(right));
    return [id, Object.fromEntries(known)] as const;
  });
  const left = shared.filter(([id, given]) => users.has(id) && rightsIn(given).length > 0);
  if (left.length === 0 || left.length > MAX_PRINCIPALS) return null;
  const shares: JsonObject = Object.assign(declaredObject(), Object.fromEntries(left));
  return countRights(shares) > MAX_RIGHTS ? null : shares;
}

function isMapOfRights(value: JsonValue): value is Readonly<Record<string, JsonObject>> {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every(
    (rights) =>
      isJsonObject(rights) && Object.values(rights).every((given) => typeof given === 'boolean'),
  );
}

/** Returns the rights that a principal has by a stored `shareWith`. */
export function rightsIn(rights: JsonValue | undefined): readonly string[] {
  if (rights === undefined || !isJsonObject(rights)) return NONE;
  return Object.keys(rights).filter((right) => rights[right] === true);
}

const NONE: readonly string[] = Object.freeze([]);
