import type { Change as RowChange, StoredRow } from '../persist/port.js';

/** The first rows of a list as it was shown last. JSON alone. */
export interface ListNote {
  readonly ids: readonly string[];
  readonly total: number;
  /** The rows of all objects that it shows, without their account. */
  readonly objects: readonly string[];
  /** A list that was shown later has a higher number. */
  readonly number: number;
}

/** A list that somebody looks at. */
export interface ShownList {
  readonly name: string;
  readonly type: string;
  readonly ids: readonly string[];
  readonly total: number;
  /** The types and ids of objects that stand in its rows. */
  readonly included: Iterable<readonly [type: string, id: string]>;
}

/** Notes of the lists of an account, by their names: a later start shows their rows first. */
export class ListNotes extends Map<string, ListNote> {
  /** The keys of the rows begin so. */
  readonly prefix: string;

  constructor(accountId: string) {
    super();
    this.prefix = `shown ${accountId} `;
  }

  /** Takes what a store has. */
  take(rows: readonly StoredRow[]): void {
    for (const [key, note] of rows)
      this.set(key.slice(this.prefix.length), note as unknown as ListNote);
  }

  /** Returns the rows of all objects that lists have shown. */
  get objects(): readonly string[] {
    return [...this.values()].flatMap(({ objects }) => objects);
  }

  /** Returns the rows that take all away. */
  drop(): readonly RowChange[] {
    return Array.from(this.keys(), (name) => ({ table: 'meta', key: this.prefix + name }));
  }
}
