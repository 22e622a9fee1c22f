import type { Steps } from '../../../src/runtime/paused-work.js';
import type { OpenStore, Page, Change as RowChange, StoredRow, Table } from '../persist/port.js';
import { runInSlices } from '../query/slices.js';
import type { AccountRows } from './account-rows.js';
import type { ListNotes } from './list-notes.js';
import type { Replica } from './replica.js';
import type { PendingWrite } from './write.js';

/** Objects of a store that are taken in one go. */
const ROWS_AT_ONCE = 500;

/** Objects of a store that have yet to be read. */
interface Rest {
  /** The last key that was read. */
  readonly after: string;
  readonly done: Promise<void>;
  readonly end: () => void;
}

/**
 * Reads the objects of an account: at first those that lists have shown last and that writes are
 * of, and the others behind the start of the client.
 */
export class ObjectLoader {
  readonly #rows: AccountRows;
  readonly #replica: Replica;
  readonly #notes: ListNotes;
  /** Rows that are newer here than those that will be read. */
  readonly #newer = new Set<string>();
  /** Null: all are here. */
  #rest: Rest | null = null;
  #isStopped = false;

  constructor(rows: AccountRows, replica: Replica, notes: ListNotes) {
    this.#rows = rows;
    this.#replica = replica;
    this.#notes = notes;
  }

  get isLoaded(): boolean {
    return this.#rest === null;
  }

  /** Resolves when all objects are here, or never will be. */
  async settle(): Promise<void> {
    await this.#rest?.done;
  }

  /** Reads the objects that show first; all of them where there are few. */
  async loadFirst(store: OpenStore, log: readonly RowChange[]): Promise<readonly RowChange[]> {
    const { prefix } = this.#rows;
    const page = store.loadPage('objects', prefix);
    this.#notes.take(await store.load('meta', this.#notes.prefix));
    const { rows, isLast } = await page;
    if (isLast) return toChanges('objects', rows);
    let end: Rest['end'] = () => undefined;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#rest = { after: rows.at(-1)?.[0] ?? '', done, end };
    const aliases = toChanges('aliases', await store.load('aliases', prefix));
    const names = new Set([...this.#notes.objects, ...namesOfWrites(log, aliases, prefix)]);
    const shown = await store.read(
      'objects',
      Array.from(names, (name) => prefix + name),
    );
    return toChanges('objects', [...rows, ...shown]);
  }

  /** Reads the rest into the replica. */
  async loadRest(store: OpenStore): Promise<void> {
    const load = (after: string | undefined): Promise<Page> | null =>
      after === undefined ? null : store.loadPage('objects', this.#rows.prefix, after);
    let next = load(this.#rest?.after);
    while (next !== null && !this.#isOver) {
      const { rows, isLast } = await next;
      // The store reads while these are taken.
      next = load(isLast ? undefined : rows.at(-1)?.[0]);
      next?.catch(() => undefined);
      await runInSlices(this.#takeSteps(toChanges('objects', rows)));
    }
  }

  /** Notes rows that others have told, or that were changed here. */
  note(rows: readonly RowChange[]): void {
    if (this.#rest === null) return;
    for (const { table, key } of rows) if (table === 'objects') this.#newer.add(key);
  }

  /** Ends the wait for objects: all are here. */
  end(): void {
    const rest = this.#rest;
    this.#rest = null;
    this.#newer.clear();
    rest?.end();
  }

  /** Ends the wait for objects: nobody needs them any more. */
  stop(): void {
    this.#isStopped = true;
    this.#rest?.end();
  }

  get #isOver(): boolean {
    return this.#isStopped || this.#rest === null;
  }

  *#takeSteps(rows: readonly RowChange[]): Steps<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      if (this.#isOver) return;
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const older = some.filter(({ key }) => !this.#newer.has(key));
      this.#replica.apply({ objects: this.#rows.readObjects(older) });
      yield;
    }
  }
}

export function toChanges(table: Table, rows: readonly StoredRow[]): readonly RowChange[] {
  return rows.map(([key, value]) => ({ table, key, value }));
}

/** Returns the rows of the objects that writes of a log are of, without their account. */
function namesOfWrites(
  log: readonly RowChange[],
  aliases: readonly RowChange[],
  prefix: string,
): readonly string[] {
  const byKey = new Map(aliases.map(({ key, value }) => [key, value]));
  return log.map(({ value }) => {
    const { type, key } = value as unknown as PendingWrite;
    const { id = key } = (byKey.get(prefix + key) ?? {}) as { readonly id?: string };
    return `${type} ${id}`;
  });
}
