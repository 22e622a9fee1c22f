import type { JsonValue } from '../../../src/protocol/json.js';
import type { Change as RowChange, StoredRow } from '../persist/port.js';
import { isEqual } from './values.js';
import { isLocalKey } from './write.js';

/** Lists that a store remembers, and the rows of each. */
const MOST_LISTS = 20;
const MOST_ROWS = 100;

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

/** Remembers what the lists of an account have shown: a later start shows that first. */
export class ListNotes {
  /** The keys of the rows begin so. */
  readonly prefix: string;
  readonly #notes = new Map<string, ListNote>();

  constructor(accountId: string) {
    this.prefix = `shown ${accountId} `;
  }

  /** Takes what a store has. */
  take(rows: readonly StoredRow[]): void {
    for (const [key, note] of rows)
      this.#notes.set(key.slice(this.prefix.length), note as unknown as ListNote);
  }

  get(name: string): ListNote | undefined {
    return this.#notes.get(name);
  }

  /** Returns the rows of all notes. */
  get rows(): readonly RowChange[] {
    return Array.from(this.#notes, ([name, note]) => this.#row(name, note));
  }

  /** Returns the rows of all objects that lists have shown. */
  get objects(): ReadonlySet<string> {
    return new Set([...this.#notes.values()].flatMap(({ objects }) => objects));
  }

  /** Takes lists as they are shown now. Returns the rows that are others. */
  update(lists: Iterable<ShownList>): readonly RowChange[] {
    const changed = new Set<string>();
    let last = Math.max(0, ...Array.from(this.#notes.values(), ({ number }) => number));
    for (const list of lists) {
      const known = this.#notes.get(list.name);
      const note = makeNote(list, known?.number ?? last + 1);
      last = Math.max(last, note.number);
      if (isEqual(note as unknown as JsonValue, known as unknown as JsonValue)) continue;
      this.#notes.set(list.name, note);
      changed.add(list.name);
    }
    const inOrder = [...this.#notes].sort(([, one], [, other]) => other.number - one.number);
    for (const [name] of inOrder.slice(MOST_LISTS)) {
      this.#notes.delete(name);
      changed.add(name);
    }
    return Array.from(changed, (name) => this.#row(name, this.#notes.get(name)));
  }

  /** Returns the rows that take all away. */
  drop(): readonly RowChange[] {
    const names = [...this.#notes.keys()];
    this.#notes.clear();
    return names.map((name) => this.#row(name));
  }

  #row(name: string, note?: ListNote): RowChange {
    const key = this.prefix + name;
    return { table: 'meta', key, ...(note && { value: note as unknown as JsonValue }) };
  }
}

function makeNote({ type, total, included, ...list }: ShownList, number: number): ListNote {
  // The log has the objects that the server has not.
  const ids = list.ids.slice(0, MOST_ROWS).filter((id) => !isLocalKey(id));
  const others = Array.from(included, (names) => names.join(' ')).slice(0, MOST_ROWS);
  const objects = [...new Set([...ids.map((id) => `${type} ${id}`), ...others])];
  return { ids, total, objects, number };
}
