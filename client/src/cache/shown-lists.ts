import type { ListNotes } from '../store/list-notes.js';
import type { StoreWriter } from '../store/store-writer.js';
import type { LiveRows } from './live-query.js';

/** How long a list is as it is before the store remembers its first rows, ms. */
const PAUSE = 1000;

/** Has the store remember what lists show, and have shown. */
export class ShownLists {
  readonly #notes: ListNotes;
  readonly #writer: StoreWriter;
  readonly #changed = new Set<LiveRows>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(notes: ListNotes, writer: StoreWriter) {
    this.#notes = notes;
    this.#writer = writer;
  }

  /** Has lists noted in a moment. */
  add(lists: Iterable<LiveRows>): void {
    for (const list of lists) this.#changed.add(list);
    if (this.#changed.size > 0) this.#timer ??= setTimeout(() => this.flush(), PAUSE);
  }

  /** Notes the lists that have changed. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#notes.update([...this.#changed].flatMap((list) => list.describe() ?? []));
    this.#changed.clear();
    if (rows.length > 0) void this.#writer.write(rows);
  }
}
