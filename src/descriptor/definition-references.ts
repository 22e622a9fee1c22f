import {
  type Located,
  type Member,
  mapItems,
  mapMembers,
  member,
  members,
  text,
} from './located.js';

/** The beginning of a `$ref`: definitions of the same descriptor. */
export const LOCAL = '#/$defs/';

/** Values that are the author's data and the session's: what looks like a `$ref` there is none. */
const DATA: readonly string[] = ['default', 'enum', 'const', 'session', 'accountSession'];

/** Keys of an object whose members have names that the author chose. */
const NAMED: readonly string[] = ['types', 'properties', '$defs', 'methods'];

/**
 * Returns every schema that has a `$ref`. `isNamed`: the node's members have names that the author
 * chose, so that a property called `$ref` or `default` is no key.
 */
export function referring(node: Located, isNamed = false): readonly Located[] {
  if (isNamed) return members(node).flatMap((each) => referring(each.node));
  if (node.items !== undefined) return node.items.flatMap((each) => referring(each));
  const own = text(member(node, '$ref')) === undefined ? [] : [node];
  const inner = members(node).filter(({ name }) => !DATA.includes(name));
  return [...own, ...inner.flatMap((each) => referring(each.node, NAMED.includes(each.name)))];
}

/** Returns the name that a `$ref` has behind `#/$defs/`; empty if the node has no `$ref`. */
export function referredName(node: Located): string {
  return (text(member(node, '$ref')) ?? '').slice(LOCAL.length);
}

/** Returns the names that each definition refers to. */
export function definitionGraph(
  definitions: readonly Member[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    definitions.map(({ name, node }) => [name, referring(node).map(referredName)] as const),
  );
}

/** Returns a node with every schema in it that has a `$ref` changed; inner ones first. */
export function mapReferring(
  node: Located,
  change: (schema: Located) => Located,
  isNamed = false,
): Located {
  if (node.items !== undefined) return mapItems(node, (each) => mapReferring(each, change));
  const mapped = mapMembers(node, ({ name, node: inner }) =>
    !isNamed && DATA.includes(name)
      ? inner
      : mapReferring(inner, change, !isNamed && NAMED.includes(name)),
  );
  return !isNamed && text(member(mapped, '$ref')) !== undefined ? change(mapped) : mapped;
}
