import type { Changes } from '../capability/hooks.js';
import type { TypeChanges, UnitOfWork } from '../methods/work/unit.js';
import type { StoredObject } from '../store/port.js';

/** What changed of one type. */
export type News = readonly [type: string, changes: Changes<StoredObject>];

/** By id, what was told last of an object; null for what is known to be destroyed. */
type Known = Map<string, StoredObject | null>;

/**
 * What the unit did since it was last asked: those who ask (computeOn, inTransaction) have a reader
 * each. A `tx.set` asks the same readers, so nobody hears of a change twice.
 */
export class NewsReader {
  readonly #unit: UnitOfWork;
  readonly #known = new Map<string, Known>();

  constructor(unit: UnitOfWork) {
    this.#unit = unit;
  }

  /**
   * What is new, type by type. Those that are not asked for wait, so that what a hook does to them
   * meanwhile is told together with it.
   */
  *take(): Generator<News> {
    for (const [name, changes] of this.#unit.changes()) {
      const fresh = this.#takeOf(changes);
      if (fresh !== null) yield [name, fresh];
    }
  }

  #takeOf({ type, created, updated, destroyed }: TypeChanges): Changes<StoredObject> | null {
    const known: Known = this.#known.get(type.name) ?? new Map();
    this.#known.set(type.name, known);
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
      if (before !== null && !listed.has(id) && this.#unit.current(type, id) === null)
        fresh.destroyed.push(before);
    }
    for (const object of fresh.created) known.set(object.id, object);
    for (const { after } of fresh.updated) known.set(after.id, after);
    for (const { id } of fresh.destroyed) known.set(id, null);
    const count = fresh.created.length + fresh.updated.length + fresh.destroyed.length;
    return count === 0 ? null : fresh;
  }
}

interface Mutable {
  readonly created: StoredObject[];
  readonly updated: { before: StoredObject; after: StoredObject }[];
  readonly destroyed: StoredObject[];
}
