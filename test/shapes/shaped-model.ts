/** The results of RFC 8621 2.3 and 4.4.3, in plain JavaScript. */

/** An object as /get answers it. */
export interface Shown {
  readonly id: string;
  readonly rank: number;
  readonly [name: string]: unknown;
}

export interface Sorting {
  readonly property: string;
  readonly isAscending: boolean;
}

type Order = (a: Shown, b: Shown) => number;

/** Compares by the sort, then by id in the direction of the last comparator. */
export function orderOf(sort: readonly Sorting[]): Order {
  const last = sort.at(-1)?.isAscending ?? true;
  const keys = [...sort, { property: 'id', isAscending: last }];
  return (a, b) => {
    for (const { property, isAscending } of keys) {
      const [left, right] = [a[property], b[property]] as [string, string];
      if (left !== right) return (left < right ? -1 : 1) * (isAscending ? 1 : -1);
    }
    return 0;
  };
}

/** Leaves of each group the first; an object without one stands for itself. */
export function collapse(found: readonly Shown[], by: string): readonly Shown[] {
  const seen = new Set<unknown>();
  return found.filter((object) => {
    const group = object[by] ?? null;
    if (group === null) return true;
    if (seen.has(group)) return false;
    seen.add(group);
    return true;
  });
}

/** Returns the ancestors of an object and itself, the highest first. */
function pathOf(object: Shown, all: ReadonlyMap<string, Shown>): readonly Shown[] {
  const parent = all.get(String(object['parentId'] ?? ''));
  return parent === undefined ? [object] : [...pathOf(parent, all), object];
}

/** The result of a query with the two arguments of a tree. */
export function treeOf(
  objects: readonly Shown[],
  matches: (object: Shown) => boolean,
  order: Order,
  { sorts, filters }: { readonly sorts: boolean; readonly filters: boolean },
): readonly Shown[] {
  const all = new Map(objects.map((object) => [object.id, object]));
  const isIn = (object: Shown): boolean =>
    filters ? pathOf(object, all).every(matches) : matches(object);
  const inTree: Order = (a, b) => {
    const [left, right] = [pathOf(a, all), pathOf(b, all)];
    for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
      const compared = order(left[at] as Shown, right[at] as Shown);
      if (compared !== 0) return compared;
    }
    return left.length - right.length;
  };
  return objects.filter(isIn).sort(sorts ? inTree : order);
}
