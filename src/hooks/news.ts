import type { Changes } from '../capability/hooks.js';
import type { TypeChanges, UnitOfWork } from '../methods/work/unit.js';
import type { StoredObject } from '../store/port.js';

export type News = ReadonlyMap<string, Changes<StoredObject>>;

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

  /** Everything that is new, by type name. */
  takeAll(): News {
    const news = new Map<string, Changes<StoredObject>>();
    for (const [name, changes] of this.#unit.changes()) {
      const fresh = this.#take(changes);
      if (fresh !== null) news.set(name, fresh);
    }
    return news;
  }

  /**
   * What is new of one type; null where nothing is. The others wait, so that what a hook does to
   * them meanwhile is told together with it.
   */
  takeNext(): readonly [name: string, changes: Changes<StoredObject>] | null {
    for (const [name, changes] of this.#unit.changes()) {
      const fresh = this.#take(changes);
      if (fresh !== null) return [name, fresh];
    }
    return null;
  }

  #take({ type, created, updated, destroyed }: TypeChanges): Changes<StoredObject> | null {
    const known = this.#known.get(type.name) ?? new Map<string, StoredObject | null>();
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
