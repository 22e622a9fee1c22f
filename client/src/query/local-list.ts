import type { JsonObject } from '../../../src/protocol/json.js';
import { finish, type Steps } from '../../../src/runtime/paused-work.js';
import type { Match } from './filters.js';
import { mergeRows, type RowEdits } from './merge-rows.js';
import { RowPlaces } from './row-places.js';
import { type Entry, makeEntry, sortSteps } from './sort-steps.js';
import type { Order } from './sorts.js';

/** Changes that are made one by one: each moves half of a list, which is soon done. */
const FEW = 32;

/** An object before and after a commit; undefined: it isn't there. */
export interface RowChange<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** A list of rows that a filter and a sort decide, kept up to date by what changes. */
export class LocalList<Row extends JsonObject> {
  readonly #match: Match;
  readonly #order: Order;
  /** In order. They are frozen once somebody has them all, and change in place until then. */
  #rows: Row[] = [];
  /** Commits since the list began to be filled; null: it is whole. */
  #missed: (readonly RowChange<Row>[])[] | null = null;

  constructor(match: Match, order: Order) {
    this.#match = match;
    this.#order = order;
  }

  /** The rows, frozen: the same array until one of them changes. */
  get rows(): readonly Row[] {
    return Object.freeze(this.#rows);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Returns some of the rows. The list needs no copy of all for its next change. */
  slice(start: number, end: number): readonly Row[] {
    return this.#rows.slice(start, end);
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
    this.#replace(sorted);
    for (const changes of missed) this.update(changes);
  }

  /**
   * Takes the changes of a commit. Returns whether the list is another one. An array that somebody
   * has is left as it was.
   */
  update(changes: readonly RowChange<Row>[]): boolean {
    if (this.#missed !== null) {
      this.#missed.push(changes);
      return false;
    }
    const gone: Entry<Row>[] = [];
    const added: Entry<Row>[] = [];
    for (const { before, after } of changes) {
      if (before === after) continue;
      if (before !== undefined && this.#match(before)) gone.push(makeEntry(before, this.#order));
      if (after !== undefined && this.#match(after)) added.push(makeEntry(after, this.#order));
    }
    const edits = { gone, added };
    return gone.length + added.length > FEW
      ? this.#replace(mergeRows(this.#rows, edits, this.#order))
      : this.#edit(edits);
  }

  #replace(rows: Row[]): boolean {
    if (isEqualList(rows, this.#rows)) return false;
    this.#rows = rows;
    return true;
  }

  #edit({ gone, added }: RowEdits<Row>): boolean {
    let isChanged = false;
    const splice = (entry: Entry<Row>, ...rows: readonly Row[]): void => {
      const at = new RowPlaces(this.#rows, this.#order).find(entry);
      const isThere = this.#rows[at] === entry.row;
      // It comes and is there, or goes and isn't.
      if (isThere === rows.length > 0) return;
      if (Object.isFrozen(this.#rows)) this.#rows = [...this.#rows];
      this.#rows.splice(at, Number(isThere), ...rows);
      isChanged = true;
    };
    // First: the array needs no more room than it has.
    for (const entry of gone) splice(entry);
    for (const entry of added) splice(entry, entry.row);
    return isChanged;
  }
}

export function isEqualList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
