import type { Row } from '../store/replica.js';
import type { Key } from '../store/write.js';
import type { Match } from './filters.js';
import { mergeRows } from './merge-rows.js';
import { makeEntry } from './sort-steps.js';
import { compareKeys, findKeys, type Order } from './sorts.js';

/** A list of the server's, and what the client knows besides. */
export interface OverlayOptions {
  /** The first ids of the list, in its order. */
  readonly ids: readonly string[];
  readonly total: number | null;
  /** How many ids the list has once all of them are there. */
  readonly length: number;
  /** Null: only the server can tell what the list has, or in which order. */
  readonly match: Match | null;
  readonly order: Order | null;
  /** Keys of objects with writes that no answer about the list has covered yet. */
  readonly written: Iterable<Key>;
  keyOf(id: string): Key;
  /** Returns the row of a key with its writes; undefined: there is none. */
  row(key: Key): Row | undefined;
  /** Returns the row as the server has it. */
  base(key: Key): Row | undefined;
}

export interface Overlay {
  readonly rows: readonly Row[];
  readonly total: number | null;
  /** The list may have other rows, or in another order, once the server has answered. */
  readonly isApproximate: boolean;
}

/**
 * Returns the rows to show of a list: with the writes that the server's list doesn't have yet.
 * Nothing of it is kept, it is made anew from the list and the writes each time.
 */
export function overlayRows(options: OverlayOptions): Overlay {
  const { ids, total, match, order, row, base, keyOf } = options;
  const written = new Set(options.written);
  const keys = ids.map(keyOf);
  const listed = new Set(keys);
  /** Rows that stay where they are, and rows whose place is to be found. */
  const kept = new Set<Key>();
  const placed: Row[] = [];
  let difference = 0;
  let isApproximate = false;
  for (const key of written) {
    const after = row(key);
    const before = base(key);
    const was = listed.has(key) || (before !== undefined && (match?.(before) ?? false));
    const isIn = after !== undefined && (match?.(after) ?? was);
    difference += Number(isIn) - Number(was);
    const isTold = after === undefined || (match !== null && (order !== null || !isIn));
    if (!isTold) isApproximate = true;
    if (!isIn || after === undefined) continue;
    if (order !== null && match !== null) placed.push(after);
    else if (listed.has(key)) kept.add(key);
    else if (match !== null) placed.push(after);
  }
  const rows = keys.flatMap((key) => (written.has(key) && !kept.has(key) ? [] : (row(key) ?? [])));
  // More ids are to come while there is room.
  const isWhole = (total !== null && ids.length >= total) || ids.length < options.length;
  return {
    rows: order === null ? [...rows, ...placed] : placeRows(rows, placed, order, isWhole),
    total: total === null ? null : total + difference,
    isApproximate,
  };
}

/** A row behind the last one that is known may stand further back. */
function placeRows(
  rows: readonly Row[],
  placed: readonly Row[],
  order: Order,
  isWhole: boolean,
): readonly Row[] {
  const last = rows.at(-1);
  const end = isWhole || last === undefined ? null : findKeys(order, last);
  const added = placed
    .map((row) => makeEntry(row, order))
    .filter(({ keys }) => end === null || compareKeys(order, keys, end) < 0);
  return mergeRows(rows, { gone: [], added }, order);
}
