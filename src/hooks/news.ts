import type { DataTypeDefinition } from '../capability/definition.js';
import type { Changes } from '../capability/hooks.js';
import type { Entry } from '../methods/work/touched.js';
import type { UnitOfWork } from '../methods/work/unit.js';
import type { StoredObject } from '../store/port.js';

/** The changes to objects of one type. */
export type News = readonly [type: string, changes: Changes<StoredObject>];

/** By id, what was told last of an object; null for what is known to be destroyed. */
type Known = Map<string, StoredObject | null>;

/**
 * Tells what the unit did since the last `take`. computeOn and inTransaction have a reader each,
 * which a `tx.set` of a hook shares, so nobody hears of a change twice.
 */
export class NewsReader {
  readonly #unit: UnitOfWork;
  readonly #known = new Map<string, Known>();

  constructor(unit: UnitOfWork) {
    this.#unit = unit;
  }

  /** Has the next `take` tell of objects that the unit has touched as of new ones. */
  tellAsNew(type: DataTypeDefinition, ids: readonly string[]): void {
    const known: Known = this.#known.get(type.name) ?? new Map();
    for (const id of ids) known.set(id, null);
    this.#known.set(type.name, known);
  }

  /**
   * Yields the new changes, type by type. If the caller stops early, the rest waits, and includes
   * what a hook changes meanwhile.
   */
  *take(): Generator<News> {
    for (const [name, { entries }] of this.#unit.touched) {
      const known: Known = this.#known.get(name) ?? new Map();
      this.#known.set(name, known);
      const fresh = takeFresh(known, entries);
      if (fresh !== null) yield [name, fresh];
    }
  }
}

/** Returns changed objects as told last (or before the unit) and as they are now; null if none. */
function takeFresh(
  known: Known,
  entries: ReadonlyMap<string, Entry>,
): Changes<StoredObject> | null {
  const created: StoredObject[] = [];
  const updated: { before: StoredObject; after: StoredObject }[] = [];
  const destroyed: StoredObject[] = [];
  for (const [id, { before: first, after }] of entries) {
    const previous = known.get(id);
    const before = previous === undefined ? first : previous;
    if (before === after) continue;
    known.set(id, after);
    if (after === null) destroyed.push(before as StoredObject);
    else if (before === null) created.push(after);
    else updated.push({ before, after });
  }
  const count = created.length + updated.length + destroyed.length;
  return count === 0 ? null : { created, updated, destroyed };
}
