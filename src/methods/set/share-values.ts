import type { PropertyDefinition, ShareDefinition } from '../../capability/definition.js';
import { MAX_PRINCIPALS } from '../../capability/share-bounds.js';
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
  return null;
}

/** Returns a stored `shareWith` without rights that the type has no more. */
export function knownShares({ rights }: ShareDefinition, value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const shared = Object.entries(value).map(([id, given]) => {
    const all = isJsonObject(given) ? Object.entries(given) : [];
    return [id, Object.fromEntries(all.filter(([right]) => rights.includes(right)))] as const;
  });
  const left = shared.filter(([, given]) => rightsIn(given).length > 0);
  return left.length === 0 ? null : Object.assign(declaredObject(), Object.fromEntries(left));
}

/** Returns the rights that a principal has by a stored `shareWith`. */
export function rightsIn(rights: JsonValue | undefined): readonly string[] {
  if (rights === undefined || !isJsonObject(rights)) return NONE;
  return Object.keys(rights).filter((right) => rights[right] === true);
}

const NONE: readonly string[] = Object.freeze([]);
