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
  find({ keys }: Entry<Row>): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isFar = high - low > FAR;
      const result = isFar
        ? compareKeys(this.#order, this.#keysAt(middle), keys)
        : compareObject(this.#order, this.#rows[middle] as Row, keys);
      if (result < 0) low = middle + 1;
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
