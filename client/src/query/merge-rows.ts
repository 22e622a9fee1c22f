import type { JsonObject } from '../../../src/protocol/json.js';
import { RowPlaces } from './row-places.js';
import type { Entry } from './sort-steps.js';
import { compareKeys, type Order } from './sorts.js';

/** Rows that leave a sorted list, and rows that come into it. */
export interface RowEdits<Row> {
  readonly gone: readonly Entry<Row>[];
  readonly added: readonly Entry<Row>[];
}

/** Returns a sorted list with edits made, by one pass over it. */
export function mergeRows<Row extends JsonObject>(
  rows: readonly Row[],
  { gone, added }: RowEdits<Row>,
  order: Order,
): Row[] {
  const places = new RowPlaces(rows, order);
  const left: (Row | undefined)[] = [...rows];
  for (const entry of gone) {
    const at = places.find(entry);
    if (rows[at] === entry.row) left[at] = undefined;
  }
  const entries = [...added].sort((one, other) => compareKeys(order, one.keys, other.keys));
  const merged = [...rows];
  let to = 0;
  let from = 0;
  for (let next = 0; next <= entries.length; next += 1) {
    const entry = entries[next];
    const end = entry === undefined ? rows.length : places.find(entry);
    // A list of the server's may be in another order: none stands before the one before it.
    for (; from < end; from += 1) {
      const row = left[from];
      if (row === undefined) continue;
      merged[to] = row;
      to += 1;
    }
    if (entry === undefined || rows[from] === entry.row) continue;
    merged[to] = entry.row;
    to += 1;
  }
  merged.length = to;
  return merged;
}
