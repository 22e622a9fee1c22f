import type { JsonValue } from '../protocol/json.js';
import type { Location } from './model.js';

/** A value of a descriptor together with the place where it stands. */
export interface Located {
  /** The plain value, everything below included. */
  readonly value: JsonValue;
  readonly at: Location;
  /** For an object: its members in the order of the text. */
  readonly members?: ReadonlyMap<string, Member>;
  /** For an array: its items. */
  readonly items?: readonly Located[];
  /** Of a schema from `$defs`: its name in types. */
  readonly title?: string;
  /** Of a schema from `$defs`: the shared file that declares it, from the project's root. */
  readonly sharedFile?: string;
  /** Of a schema that is one from `$defs` with more said beside it: that one. */
  readonly definition?: Located;
  /** Of a definition that contains itself: how often it lies within itself here, this one too. */
  readonly level?: number;
  /** No value is legal here: the definition would nest deeper than this. */
  readonly depth?: number;
}

/** Returns whether a schema repeats what stands around it: its definition lies within itself. */
export function isRepeated({ definition, level = definition?.level ?? 1 }: Located): boolean {
  return level > 1;
}

/** A member of an object, with the place of its name. */
export interface Member {
  readonly name: string;
  /** Where the name stands: complaints about a name point at it, not at its value. */
  readonly nameAt: Location;
  readonly node: Located;
}

/** Returns the node of a member; undefined where `node` is no object or lacks it. */
export function member(node: Located | undefined, name: string): Located | undefined {
  return node?.members?.get(name)?.node;
}

/** Returns the members of an object; none for anything else, since a descriptor may be wrong. */
export function members(node: Located | undefined): readonly Member[] {
  return node?.members === undefined ? [] : [...node.members.values()];
}

/** Returns the items of a list; none of anything else. */
export function items(node: Located | undefined): readonly Located[] {
  return node?.items ?? [];
}

/** Returns the value where it is a string; undefined for anything else. */
export function text(node: Located | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined;
}

/** Returns a description without the white space around it; "" where there is none. */
export function words(node: Located | undefined): string {
  return text(member(node, 'description'))?.trim() ?? '';
}

/** Returns the value where it is a Boolean; `fallback` for anything else, also for no node. */
export function flag(node: Located | undefined, fallback: boolean): boolean {
  return typeof node?.value === 'boolean' ? node.value : fallback;
}

/** Follows a path of member names and indexes; returns the last node that there is. */
export function descend(node: Located, path: readonly string[]): Located {
  let current = node;
  for (const step of path) {
    const next = current.items?.[Number(step)] ?? member(current, step);
    if (next === undefined) return current;
    current = next;
  }
  return current;
}
