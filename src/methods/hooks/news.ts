import type { Changes } from '../../capability/hooks.js';
import type { StoredObject } from '../../store/port.js';
import type { UnitOfWork } from '../work/unit.js';

export type News = ReadonlyMap<string, Changes<StoredObject>>;

/** By type and id, what hooks have been told of last; null for what they know as destroyed. */
type Told = Map<string, Map<string, StoredObject | null>>;

const toldOf = new WeakMap<UnitOfWork, Told>();

/**
 * What the unit did since hooks were last told, by type name: each `tx.set` tells the hooks of what it
 * changed itself, and nobody hears of a change twice.
 */
export function takeNews(unit: UnitOfWork): News {
  const told = toldOf.get(unit) ?? new Map();
  toldOf.set(unit, told);
  const news = new Map<string, Changes<StoredObject>>();
  for (const [name, { type, created, updated, destroyed }] of unit.changes()) {
    const known = told.get(name) ?? new Map<string, StoredObject | null>();
    told.set(name, known);
    const fresh: Mutable = { created: [], updated: [], destroyed: [] };
    for (const object of created) {
      const before = known.get(object.id);
      if (before === undefined || before === null) fresh.created.push(object);
      else if (before !== object) fresh.updated.push({ before, after: object });
    }
    for (const { before: first, after } of updated) {
      const before = known.get(after.id) ?? first;
      if (before !== after) fresh.updated.push({ before, after });
    }
    for (const object of destroyed) {
      const before = known.get(object.id);
      if (before !== null) fresh.destroyed.push(before ?? object);
    }
    const listed = new Set(fresh.destroyed.map(({ id }) => id));
    for (const [id, before] of known) {
      // Made and destroyed by the unit: it has no trace of it.
      if (before !== null && !listed.has(id) && unit.current(type, id) === null)
        fresh.destroyed.push(before);
    }
    for (const object of fresh.created) known.set(object.id, object);
    for (const { after } of fresh.updated) known.set(after.id, after);
    for (const { id } of fresh.destroyed) known.set(id, null);
    if (fresh.created.length + fresh.updated.length + fresh.destroyed.length > 0)
      news.set(name, fresh);
  }
  return news;
}

interface Mutable {
  readonly created: StoredObject[];
  readonly updated: { before: StoredObject; after: StoredObject }[];
  readonly destroyed: StoredObject[];
}
