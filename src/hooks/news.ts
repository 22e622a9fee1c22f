import type { Changes } from '../capability/hooks.js';
import type { Entry, UnitOfWork } from '../methods/work/unit.js';
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
    for (const [name, { entries }] of this.#unit.touched) {
      const known: Known = this.#known.get(name) ?? new Map();
      this.#known.set(name, known);
      const fresh = takeFresh(known, entries);
      if (fresh !== null) yield [name, fresh];
    }
  }
}

/** Each object as it was told last, or was before the unit, and as it is now; null where none differs. */
function takeFresh(
  known: Known,
  entries: ReadonlyMap<string, Entry>,
): Changes<StoredObject> | null {
  const created: StoredObject[] = [];
  const updated: { before: StoredObject; after: StoredObject }[] = [];
  const destroyed: StoredObject[] = [];
  for (const [id, { before: first, after }] of entries) {
    const told = known.get(id);
    const before = told === undefined ? first : told;
    if (before === after) continue;
    known.set(id, after);
    if (after === null) destroyed.push(before as StoredObject);
    else if (before === null) created.push(after);
    else updated.push({ before, after });
  }
  const count = created.length + updated.length + destroyed.length;
  return count === 0 ? null : { created, updated, destroyed };
}
