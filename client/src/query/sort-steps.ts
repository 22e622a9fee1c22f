import type { JsonObject } from '../../../src/protocol/json.js';
import { type Steps, Strides } from '../../../src/runtime/paused-work.js';
import type { Match } from './filters.js';
import { compareKeys, findKeys, type Keys, type Order } from './sorts.js';

/** A row with its keys. */
export interface Entry<Row> {
  readonly row: Row;
  readonly keys: Keys;
}

/** Rows that are sorted in one go. */
const RUN = 4096;

export function makeEntry<Row extends JsonObject>(row: Row, order: Order): Entry<Row> {
  return { row, keys: findKeys(order, row) };
}

/** Returns the rows that match, in order. Keys are made once for each row. */
export function* sortSteps<Row extends JsonObject>(
  rows: readonly Row[],
  match: Match,
  order: Order,
): Steps<Row[]> {
  const compare = (one: Entry<Row>, other: Entry<Row>): number =>
    compareKeys(order, one.keys, other.keys);
  let runs: Entry<Row>[][] = [];
  for (let from = 0; from < rows.length; from += RUN) {
    const run: Entry<Row>[] = [];
    for (const row of rows.slice(from, from + RUN)) if (match(row)) run.push(makeEntry(row, order));
    runs.push(run.sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Entry<Row>[][] = [];
    for (let n = 0; n < runs.length; n += 2)
      merged.push(yield* mergeSteps(runs[n] ?? [], runs[n + 1] ?? [], compare));
    runs = merged;
  }
  return (runs[0] ?? []).map(({ row }) => row);
}

function* mergeSteps<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Steps<Item[]> {
  const strides = new Strides();
  const merged: Item[] = [];
  let [first, second] = [0, 0];
  while (first < one.length && second < other.length) {
    const [a, b] = [one[first] as Item, other[second] as Item];
    if (compare(a, b) <= 0) {
      merged.push(a);
      first += 1;
    } else {
      merged.push(b);
      second += 1;
    }
    if (strides.isOver()) yield;
  }
  return merged.concat(one.slice(first), other.slice(second));
}
