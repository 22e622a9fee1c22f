import type { JsonObject } from '../../../src/protocol/json.js';
import type { Match } from './filters.js';
import type { Order } from './sorts.js';

/** A list of rows that a filter and a sort decide, kept up to date by what changes. */
export class LocalList<Row extends JsonObject & { readonly $key: string }> {
  readonly #match: Match;
  readonly #order: Order;
  /** In order. */
  #rows: Row[] = [];
  readonly #byKey = new Map<string, Row>();

  constructor(match: Match, order: Order) {
    this.#match = match;
    this.#order = order;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Begins with rows in any order. */
  fill(rows: Iterable<Row>): void {
    this.#rows = [...rows].filter((row) => this.#match(row)).sort(this.#order);
    this.#byKey.clear();
    for (const row of this.#rows) this.#byKey.set(row.$key, row);
  }

  /**
   * Takes rows that have changed; undefined: they are gone. Returns whether the list is another
   * one. The list of before is left as it was, for whoever still has it.
   */
  update(changes: ReadonlyMap<string, Row | undefined>): boolean {
    const removed = new Set<Row>();
    const added: Row[] = [];
    for (const [key, row] of changes) {
      const before = this.#byKey.get(key);
      const after = row !== undefined && this.#match(row) ? row : undefined;
      if (before === after) continue;
      if (before !== undefined) removed.add(before);
      if (after === undefined) this.#byKey.delete(key);
      else {
        this.#byKey.set(key, after);
        added.push(after);
      }
    }
    if (removed.size === 0 && added.length === 0) return false;
    added.sort(this.#order);
    this.#rows = mergeSorted(
      this.#rows.filter((row) => !removed.has(row)),
      added,
      this.#order,
    );
    return true;
  }
}

/** Merges two sorted lists. */
export function mergeSorted<Row extends JsonObject>(
  rows: readonly Row[],
  added: readonly Row[],
  order: Order,
): Row[] {
  const merged: Row[] = [];
  let next = 0;
  for (const row of added) {
    const end = findPlace(rows, next, row, order);
    for (; next < end; next += 1) merged.push(rows[next] as Row);
    merged.push(row);
  }
  for (; next < rows.length; next += 1) merged.push(rows[next] as Row);
  return merged;
}

/** Finds by halving the first place behind `from` whose row stands behind another. */
function findPlace<Row extends JsonObject>(
  rows: readonly Row[],
  from: number,
  row: Row,
  order: Order,
): number {
  let [low, high] = [from, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order(rows[middle] as Row, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
