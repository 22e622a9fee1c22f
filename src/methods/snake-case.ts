import { declaredObject, emptyObject, type JsonObject } from '../protocol/json.js';
import { snakeToCamel } from '../protocol/names.js';

/** A set of declared names: a Set or the keys of a Map. */
export interface Names {
  has(name: string): boolean;
}

export interface Renamed {
  /** A shallow copy with declared names in camelCase; others as they came. */
  readonly object: JsonObject;
  /** Declared names that came in both spellings. */
  readonly doubled: readonly string[];
}

/**
 * The declared name that a client means: itself, or the camelCase form where snake_case is accepted
 * (D19).
 */
export function declaredName(name: string, declared: Names, acceptSnakeCase: boolean): string {
  if (!acceptSnakeCase || declared.has(name)) return name;
  const camel = snakeToCamel(name);
  return camel !== null && declared.has(camel) ? camel : name;
}

/**
 * Copies an object with its members' names as they are declared. `prefix` tells which part of a
 * member's name is to be looked up: all of it, or for a PatchObject what stands before the first
 * slash.
 */
export function renameMembers(
  object: JsonObject,
  declared: Names,
  acceptSnakeCase: boolean,
  prefix: (member: string) => string = whole,
): Renamed {
  const names = Object.keys(object);
  // Pointers into maps have the client's own keys in them.
  const copy = prefix === whole ? declaredObject() : emptyObject();
  for (const member of names) {
    if (acceptSnakeCase && !declared.has(prefix(member))) {
      return renameEach(object, names, declared, prefix);
    }
    copy[member] = object[member] ?? null;
  }
  return { object: copy, doubled: NONE };
}

const NONE: readonly string[] = Object.freeze([]);

/** The same where nobody writes into the outcome: the object itself where no name is to change. */
export function declaredMembers(
  object: JsonObject,
  declared: Names,
  acceptSnakeCase: boolean,
  prefix: (member: string) => string = whole,
): Renamed {
  if (acceptSnakeCase) {
    for (const name in object) {
      if (!declared.has(prefix(name))) {
        return renameMembers(object, declared, acceptSnakeCase, prefix);
      }
    }
  }
  return { object, doubled: NONE };
}

/** Some name is none that is declared: perhaps it is so in camelCase. */
function renameEach(
  object: JsonObject,
  names: readonly string[],
  declared: Names,
  prefix: (member: string) => string,
): Renamed {
  const renamed = emptyObject();
  const spelling = new Map<string, string>();
  const doubled = new Set<string>();
  for (const member of names) {
    const given = prefix(member);
    const name = declaredName(given, declared, true);
    const earlier = spelling.get(name);
    if (earlier !== undefined && earlier !== given) doubled.add(name);
    spelling.set(name, given);
    renamed[name + member.slice(given.length)] = object[member] ?? null;
  }
  return { object: renamed, doubled: [...doubled] };
}

/** The first reference token of a PatchObject's key, still escaped. */
export function firstToken(pointer: string): string {
  const slash = pointer.indexOf('/');
  return slash === -1 ? pointer : pointer.slice(0, slash);
}

function whole(member: string): string {
  return member;
}
