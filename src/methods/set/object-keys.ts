import type { ReferenceProperty } from '../type-index.js';

/** An object of any type. */
export interface ObjectKey {
  readonly type: string;
  readonly id: string;
}

/** `from` refers to `to` by a property. */
export interface Link {
  readonly from: ObjectKey;
  readonly to: ObjectKey;
  readonly property: ReferenceProperty;
}

export function textOf({ type, id }: ObjectKey): string {
  return `${type}\n${id}`;
}

/** Ids by type name, each once. */
export function idsByType(objects: readonly ObjectKey[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, id } of objects) {
    const known = ids.get(type);
    if (known === undefined) ids.set(type, new Set([id]));
    else known.add(id);
  }
  return ids;
}

export function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
