import type { JsonValue } from '../../../src/protocol/json.js';
import type { Change as RowChange } from '../persist/port.js';
import type { ListNote, ListNotes, ShownList } from '../store/list-notes.js';
import type { StoreWriter } from '../store/store-writer.js';
import type { LiveRows } from './live-query.js';

/** Lists that a store remembers, and the rows of each. */
const MOST_LISTS = 20;
const MOST_ROWS = 100;
/** How long a list is as it is before the store remembers it, ms. */
const PAUSE = 1000;

/** Has the store remember the first rows of lists. */
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
    const rows = this.#update([...this.#changed].flatMap((list) => list.describe() ?? []));
    this.#changed.clear();
    if (rows.length > 0) void this.#writer.write(rows);
  }

  /** Takes lists as they are shown now. Returns the rows that are others. */
  #update(lists: Iterable<ShownList>): readonly RowChange[] {
    const notes = this.#notes;
    const changed = new Set<string>();
    let last = Math.max(0, ...Array.from(notes.values(), ({ number }) => number));
    for (const list of lists) {
      const known = notes.get(list.name);
      const note = makeNote(list, known?.number ?? last + 1);
      last = Math.max(last, note.number);
      if (JSON.stringify(note) === JSON.stringify(known)) continue;
      notes.set(list.name, note);
      changed.add(list.name);
    }
    const inOrder = [...notes].sort(([, one], [, other]) => other.number - one.number);
    for (const [name] of inOrder.slice(MOST_LISTS)) {
      notes.delete(name);
      changed.add(name);
    }
    return Array.from(changed, (name) => {
      const value = notes.get(name) as unknown as JsonValue | undefined;
      return { table: 'meta', key: notes.prefix + name, ...(value !== undefined && { value }) };
    });
  }
}

function makeNote({ type, total, included, ...list }: ShownList, number: number): ListNote {
  // The log has the objects that the server has not: their ids are keys that begin so.
  const ids = list.ids.slice(0, MOST_ROWS).filter((id) => !id.startsWith('~'));
  const others = Array.from(included, (names) => names.join(' ')).slice(0, MOST_ROWS);
  const objects = [...new Set([...ids.map((id) => `${type} ${id}`), ...others])];
  return { ids, total, objects, number };
}
