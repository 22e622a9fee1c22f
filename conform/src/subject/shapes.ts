import type { ModelProperty } from '../../../src/descriptor/model.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { isUnique, listGivable, listWritable } from './described.js';
import type { GiveMore } from './populated.js';
import type { Subject } from './subject.js';
import { countOctets } from './values.js';

/** The shapes of results that a descriptor declares, in plain JavaScript (RFC 8621 2.3, 4.4.3). */

/** Returns what a result becomes where each group keeps its first object alone. */
export function collapse(
  ids: readonly string[],
  items: ReadonlyMap<string, Item>,
  by: string,
): readonly string[] {
  const seen = new Set<Json>();
  return ids.filter((id) => {
    const group = items.get(id)?.[by] ?? null;
    const isFirst = group === null || !seen.has(group);
    seen.add(group);
    return isFirst;
  });
}

/** Returns the ids of an object's ancestors, the nearest first. */
function listAncestors(id: string, items: ReadonlyMap<string, Item>, by: string): string[] {
  const ids: string[] = [];
  let parent = items.get(id)?.[by];
  while (typeof parent === 'string' && items.has(parent) && !ids.includes(parent)) {
    ids.push(parent);
    parent = items.get(parent)?.[by];
  }
  return ids;
}

/** Returns a result without the objects that have an ancestor outside of it. */
export function filterTree(
  ids: readonly string[],
  items: ReadonlyMap<string, Item>,
  by: string,
): readonly string[] {
  const found = new Set(ids);
  return ids.filter((id) => listAncestors(id, items, by).every((one) => found.has(one)));
}

/**
 * Returns a result with each object behind its parent, and siblings in the order of `all`: all
 * objects of the account, in the order of the sort alone.
 */
export function sortTree(
  ids: readonly string[],
  all: readonly string[],
  items: ReadonlyMap<string, Item>,
  by: string,
): readonly string[] {
  const children = new Map<string | null, string[]>();
  for (const id of all) {
    const [parent = null] = listAncestors(id, items, by);
    children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const listBelow = (id: string | null): string[] =>
    (children.get(id) ?? []).flatMap((child) => [child, ...listBelow(child)]);
  const found = new Set(ids);
  return listBelow(null).filter((id) => found.has(id));
}

/** Finds a property that a create gives; undefined where only the server sets it. */
export const findGiven = (subject: Subject, name: string): ModelProperty | undefined =>
  listWritable(subject.described).find((property) => property.name === name);

/** Lists two groups of a collapsed result, and null where it is one. */
export function listGroups(subject: Subject, by: string): readonly Json[] {
  const property = findGiven(subject, by);
  if (property === undefined || property.references.length > 0) return [];
  const texts = subject
    .listGood(property)
    .filter((one) => typeof one === 'string' && countOctets(one) < 100);
  return [...texts.slice(0, 2), ...(property.nullable ? [null] : [])];
}

/** Returns what puts objects into these groups by turns. References take turns by themselves. */
export const giveGroups =
  (by: string, groups: readonly Json[]): GiveMore =>
  (index) => {
    const group = groups[index % groups.length];
    return group === undefined ? {} : { [by]: group };
  };

/** Returns what makes two trees of objects: of four one is at the top. */
export const giveParents =
  (by: string): GiveMore =>
  (index) => ({ [by]: index % 4 === 0 ? null : `#k${Math.floor(index / 2)}` });

/** Returns other values of what an update can change, but for one property. */
export function buildPatch(subject: Subject, item: Item, but: string): JsonMap {
  const { described } = subject;
  const free = listGivable(described).filter(
    (one) => one.access === 'mutable' && one.name !== but && !isUnique(described, one),
  );
  return Object.fromEntries(
    free.flatMap((property): [string, Json][] => {
      const now = JSON.stringify(item[property.name] ?? null);
      const others = subject
        .listGood(property)
        .filter((one) => JSON.stringify(one) !== now && countOctets(one) < 2000);
      return others[0] === undefined ? [] : [[property.name, others[0]]];
    }),
  );
}
