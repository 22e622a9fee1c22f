import type { JsonObject } from '../../../src/protocol/json.js';
import type { Entry } from './sort-steps.js';
import { compareKeys, compareObject, findKeys, type Keys, type Order } from './sorts.js';

/** Rows that lie as far apart are passed by many searches: their keys are made once. */
const FAR = 64;

/** Finds places in a sorted list. It is for the changes of one commit. */
export class RowPlaces<Row extends JsonObject> {
  readonly #rows: readonly Row[];
  readonly #order: Order;
  readonly #keys = new Map<number, Keys>();

  constructor(rows: readonly Row[], order: Order) {
    this.#rows = rows;
    this.#order = order;
  }

  /** Finds by halving the first place whose row doesn't stand before another. */
  find({ row, keys }: Entry<Row>): number {
    const rows = this.#rows;
    let [low, high] = [0, rows.length];
    while (high - low > FAR) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#order, this.#keysAt(middle), keys) < 0) low = middle + 1;
      else high = middle;
    }
    // Values lie apart in memory: whether one of them is the same row is sooner seen.
    for (let at = low; at <= high; at += 1) if (rows[at] === row) return at;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareObject(this.#order, rows[middle] as Row, keys) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #keysAt(place: number): Keys {
    const known = this.#keys.get(place);
    if (known !== undefined) return known;
    const keys = findKeys(this.#order, this.#rows[place] as Row);
    this.#keys.set(place, keys);
    return keys;
  }
}
