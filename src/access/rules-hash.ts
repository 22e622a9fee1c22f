import { hash } from 'node:crypto';
import { parentRulesOf } from '../capability/access-rules.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { hasUserValues } from '../capability/user-values.js';
import { restrictedOf } from './known-types.js';

/** Grows where the same rules give objects other scopes. */
const VERSION = 1;

/** Characters of a hash, in base64url. */
const HASH_LENGTH = 16;

/**
 * Returns a hash for each type with access rules, by its name: of the rules by which its objects
 * have their scopes, and by which users may read its properties. Those are its own, and those of
 * the types that they follow. A type with values of each user has one, too: its states are those of
 * views.
 */
export function hashRules(types: Iterable<DataTypeDefinition>): ReadonlyMap<string, string> {
  const all = new Map(Array.from(types, (type) => [type.name, type]));
  const hashes = new Map<string, string>();
  for (const owner of all.values()) {
    const { name, access } = owner;
    const isOwn = hasUserValues(owner);
    if (access === undefined && !isOwn) continue;
    const rules = [...typesJudgedWith(name, all)].sort().map((one) => {
      const type = all.get(one);
      const restricted = type === undefined ? [] : restrictedOf(type);
      const readers = restricted.map((property) => [property.name, property.readable]);
      const own = [one, type?.table, type?.access, readers];
      return type?.share === undefined ? own : [...own, type.share.rights];
    });
    const text = JSON.stringify(isOwn ? [VERSION, rules, 'perUser'] : [VERSION, rules]);
    hashes.set(name, hash('sha256', text, 'base64url').slice(0, HASH_LENGTH));
  }
  return hashes;
}

/** Returns the names of a type and of all types that its objects follow. */
export function typesJudgedWith(
  name: string,
  types: ReadonlyMap<string, DataTypeDefinition>,
): ReadonlySet<string> {
  const names = new Set([name]);
  // A Set goes on over what is added while it is walked.
  for (const one of names)
    for (const { who } of parentRulesOf(types.get(one)?.access ?? [])) names.add(who.type);
  return names;
}
