import { emptyObject, type JsonValue } from '../protocol/json.js';
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

/** Returns an object of these members, with its value. Any other node stays as it is. */
export function rebuilt(node: Located, kept: readonly Member[]): Located {
  if (node.members === undefined) return node;
  const value = emptyObject();
  for (const { name, node: inner } of kept) value[name] = inner.value;
  return { ...node, value, members: new Map(kept.map((each) => [each.name, each])) };
}

/** Returns an object with each of its members changed by `to`. */
export function mapMembers(node: Located, to: (member: Member) => Located): Located {
  return rebuilt(
    node,
    members(node).map((each) => ({ ...each, node: to(each) })),
  );
}

/** Returns the object with another value of a member, where it has it. */
export function changeMember(node: Located, key: string, to: (node: Located) => Located): Located {
  return mapMembers(node, ({ name, node: inner }) => (name === key ? to(inner) : inner));
}

/** Returns a list with each of its items changed by `to`; those without a result are left out. */
export function mapItems(node: Located, to: (item: Located) => Located | undefined): Located {
  if (node.items === undefined) return node;
  const items = node.items.flatMap((item) => to(item) ?? []);
  return { ...node, items, value: items.map(({ value }) => value) };
}
