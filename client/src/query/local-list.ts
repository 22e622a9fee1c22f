import type { JsonObject } from '../../../src/protocol/json.js';
import { finish, type Steps } from '../../../src/runtime/paused-work.js';
import type { Match } from './filters.js';
import { RowPlaces } from './row-places.js';
import { type Entry, makeEntry, sortSteps } from './sort-steps.js';
import { compareKeys, type Order } from './sorts.js';

/** An object before and after a commit; undefined: it isn't there. */
export interface RowChange<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A list of rows that a filter and a sort decide, kept up to date by what changes. */
export class LocalList<Row extends JsonObject> {
  readonly #match: Match;
  readonly #order: Order;
  /** In order. */
  #rows: readonly Row[] = [];
  /** Commits since the list began to be filled; null: it is whole. */
  #missed: (readonly RowChange<Row>[])[] | null = null;

  constructor(match: Match, order: Order) {
    this.#match = match;
    this.#order = order;
  }

  /** The rows, frozen: the same array until one of them changes. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Returns whether the rows are all there, not those of before a fill that still runs. */
  get isFilled(): boolean {
    return this.#missed === null;
  }

  /** Begins with rows in any order. */
  fill(rows: Iterable<Row>): void {
    finish(this.fillSteps([...rows]));
  }

  /** Does the same with pauses. Changes that come meanwhile show at its end. */
  *fillSteps(rows: readonly Row[]): Steps<void> {
    const missed: (readonly RowChange<Row>[])[] = [];
    this.#missed = missed;
    const sorted = yield* sortSteps(rows, this.#match, this.#order);
    // Another fill has begun since.
    if (this.#missed !== missed) return;
    this.#missed = null;
    const before = this.#rows;
    const isSame = sorted.length === before.length && sorted.every((row, at) => row === before[at]);
    if (!isSame) this.#rows = Object.freeze(sorted);
    for (const changes of missed) this.update(changes);
  }

  /**
   * Takes the changes of a commit. Returns whether the list is another one. The list of before is
   * left as it was, for whoever still has it.
   */
  update(changes: readonly RowChange<Row>[]): boolean {
    if (this.#missed !== null) {
      this.#missed.push(changes);
      return false;
    }
    const rows = this.#rows;
    const places = new RowPlaces(rows, this.#order);
    const gone: ListEdit<Row>[] = [];
    const added: Entry<Row>[] = [];
    for (const { before, after } of changes) {
      if (before === after) continue;
      if (before !== undefined && this.#match(before)) {
        const at = places.find(makeEntry(before, this.#order));
        if (rows[at] === before) gone.push({ at, row: undefined });
      }
      if (after !== undefined && this.#match(after)) added.push(makeEntry(after, this.#order));
    }
    const placed = placeRows(added, places, this.#order).filter(({ row, at }) => rows[at] !== row);
    if (gone.length === 0 && placed.length === 0) return false;
    this.#rows = Object.freeze(editRows(rows, [...placed, ...gone]));
    return true;
  }
}

/** Returns a sorted list with rows put in their places. */
export function insertRows<Row extends JsonObject>(
  rows: readonly Row[],
  added: readonly Row[],
  order: Order,
): Row[] {
  const entries = added.map((row) => makeEntry(row, order));
  return editRows(rows, placeRows(entries, new RowPlaces(rows, order), order));
}

/** A row that comes in before a place of a list; undefined: the one that is there goes. */
interface ListEdit<Row> {
  readonly at: number;
  readonly row: Row | undefined;
}

/** Returns rows with the places in a list before which they belong, in order. */
function placeRows<Row extends JsonObject>(
  added: Entry<Row>[],
  places: RowPlaces<Row>,
  order: Order,
): readonly ListEdit<Row>[] {
  added.sort((one, other) => compareKeys(order, one.keys, other.keys));
  let from = 0;
  return added.map((entry) => {
    // A list of the server's may be in another order.
    from = Math.max(from, places.find(entry));
    return { row: entry.row, at: from };
  });
}

/** Edits that are made one by one: each moves half of a list, which is soon done. */
const FEW = 8;

/** Returns a list with edits made; their places are those in the list of before. */
function editRows<Row>(rows: readonly Row[], edits: readonly ListEdit<Row>[]): Row[] {
  // Rows come in before the one that goes from the same place.
  const inOrder = [...edits].sort((one, other) => one.at - other.at);
  const all = [...rows];
  if (edits.length > FEW) return joinParts(all, inOrder);
  for (const { at, row } of inOrder.reverse()) {
    if (row === undefined) all.splice(at, 1);
    else all.splice(at, 0, row);
  }
  return all;
}

/** Arguments of one call lie on the stack, which has an end. */
const MOST_ARGUMENTS = 10_000;

/** Copies the rows between edits in one go each: a loop over all of them takes longer. */
function joinParts<Row>(rows: readonly Row[], edits: readonly ListEdit<Row>[]): Row[] {
  const parts: (readonly Row[])[] = [];
  let from = 0;
  for (const { at, row } of edits) {
    parts.push(rows.slice(from, at));
    if (row !== undefined) parts.push([row]);
    from = row === undefined ? at + 1 : at;
  }
  parts.push(rows.slice(from));
  let joined: Row[] = [];
  for (let first = 0; first < parts.length; first += MOST_ARGUMENTS)
    joined = joined.concat(...parts.slice(first, first + MOST_ARGUMENTS));
  return joined;
}
