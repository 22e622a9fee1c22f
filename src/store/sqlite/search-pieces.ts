import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import type { Conductor } from '../../runtime/slices.js';
import { quote } from '../sql/fragment.js';
import { WINDOW } from './search.js';

/** Characters of a piece: SQLite takes about 2 ms for as many that are all different. */
const PIECE = 4096;
/**
 * Two pieces that follow each other have so many characters in common: a window lies in one of
 * them.
 */
const OVERLAP = 2 * WINDOW;
/** Pieces that are removed by one step. */
const REMOVED = 64;
/**
 * How long after a write the server looks for what is to be indexed, ms: it gathers several writes.
 */
const DELAY = 20;
/** How long it waits after a failure, ms. */
const RETRY = 1000;
/**
 * How long it pauses after a step, as a multiple of the step's time: others have half of the time
 * at least.
 */
const SHARE = 1;

/** A type with a search index. */
export interface SearchedTable {
  readonly name: string;
  readonly table: string;
  readonly search: { readonly name: string; readonly columns: readonly string[] };
}

export interface SearchPiecesOptions {
  /** The writer's connection. */
  readonly db: Database;
  readonly tables: readonly SearchedTable[];
  readonly conductor: Conductor;
  /** Runs a step in a transaction of the writer's. */
  readonly write: <T>(accountId: string, step: () => Promise<T>) => Promise<T>;
  /** Told why a step failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Indexes long texts for searching, in pieces, behind the commits that wrote them. SQLite makes the
 * trigrams within a statement, and a long text would keep everybody waiting for seconds. A step is
 * a short transaction. The table that says what is to be done is kept by triggers
 * (scripts/generator/migrations/search.ts), so a step that a crash took is done by the next server.
 */
export class SearchPieces {
  readonly #options: SearchPiecesOptions;
  readonly #works: readonly TableWork[];
  #timer: NodeJS.Timeout | null = null;
  /** Resolves to whether all that was due has been done. */
  #running: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(options: SearchPiecesOptions) {
    this.#options = options;
    this.#works = options.tables.map((table) => new TableWork(options.db, table));
  }

  /**
   * Has it look soon for what there is to do for types that were written; for all where none are
   * named.
   */
  wake(types?: Readonly<Record<string, unknown>>, delay = DELAY): void {
    for (const work of this.#works)
      if (types === undefined || work.name in types) work.isDue = true;
    if (this.#isClosed || this.#timer !== null) return;
    if (!this.#works.some(({ isDue }) => isDue)) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#start();
    }, delay);
    this.#timer.unref();
  }

  /** Resolves when no long text waits to be indexed. Other writes don't keep it waiting. */
  async idle(): Promise<void> {
    await this.#running;
    for (const work of this.#works) work.isDue = true;
    while (!(await this.#start())) await sleep(RETRY);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  #start(): Promise<boolean> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // Texts may have been written meanwhile.
      this.wake({});
    });
    return this.#running;
  }

  async #run(): Promise<boolean> {
    try {
      for (const work of this.#works) {
        if (!work.isDue) continue;
        work.isDue = false;
        while (await this.#step(work));
      }
    } catch (error) {
      if (this.#isClosed) return true;
      this.#options.onError(error);
      this.wake(undefined, RETRY);
      return false;
    }
    return true;
  }

  async #step(work: TableWork): Promise<boolean> {
    if (this.#isClosed) return false;
    const accountId = work.next();
    if (accountId === null) return false;
    let spent = 0;
    await this.#options.write(accountId, async () => {
      await this.#options.conductor.awaitTurn(true);
      const begun = performance.now();
      work.step(accountId);
      spent = performance.now() - begun;
    });
    await sleep(spent * SHARE);
    return true;
  }
}

interface Entry {
  readonly accountId: string;
  readonly id: string;
  readonly at: number;
}

/** The text that is being indexed, as it was when its first piece was. */
interface Text extends Entry {
  readonly columns: readonly string[];
}

/** The work for one type. */
class TableWork {
  /** The type's. */
  readonly name: string;
  /** It was written. */
  isDue = true;
  readonly #db: Database;
  readonly #table: SearchedTable;
  #statements: Statements | null = null;
  #text: Text | null = null;

  constructor(db: Database, table: SearchedTable) {
    this.name = table.name;
    this.#db = db;
    this.#table = table;
  }

  /** Returns the account that has something to be done; null where there is nothing. */
  next(): string | null {
    return this.#prepared.next.get()?.accountId ?? null;
  }

  /** Does a part of what is to be done for an account. */
  step(accountId: string): void {
    const entry = this.#prepared.pending.get(accountId);
    if (entry === undefined) return;
    if (entry.at < 0) this.#remove(entry);
    else this.#add(entry);
  }

  #remove({ accountId, id }: Entry): void {
    const { oldPieces, removePiece, removePieceRow, move } = this.#prepared;
    const docids = oldPieces.all(accountId, id);
    for (const docid of docids) {
      removePiece.run(docid);
      removePieceRow.run(docid);
    }
    if (docids.length < REMOVED) move.run(0, accountId, id);
  }

  #add(entry: Entry): void {
    const { accountId, id } = entry;
    const { add, addRow, forget, move } = this.#prepared;
    const columns = this.#columnsOf(entry);
    const row = columns && addRow.get(accountId, id, accountId);
    if (!columns || !row) {
      forget.run(accountId, id);
      return;
    }
    const piece = pieceAt(columns, entry.at);
    add.run(row.docid, ...columns.map((_, n) => (n === piece.column ? piece.text : null)));
    move.run(piece.next, accountId, id);
    this.#text = piece.next === null ? null : { accountId, id, at: piece.next, columns };
  }

  /**
   * Returns null where the object has no long text any more. A text that changes is indexed again
   * from its beginning.
   */
  #columnsOf({ accountId, id, at }: Entry): readonly string[] | null {
    const text = this.#text;
    if (at > 0 && text?.id === id && text.accountId === accountId && text.at === at) {
      return text.columns;
    }
    const row = this.#prepared.read.get(accountId, id);
    return row === undefined ? null : row.map((value) => value ?? '');
  }

  get #prepared(): Statements {
    this.#statements ??= prepare(this.#db, this.#table);
    return this.#statements;
  }
}

/**
 * Returns the piece that begins at a character, counted over all columns, and where the next one
 * does.
 */
function pieceAt(
  columns: readonly string[],
  at: number,
): { readonly column: number; readonly text: string; readonly next: number | null } {
  let first = 0;
  let column = 0;
  while (column < columns.length - 1 && first + (columns[column]?.length ?? 0) <= at) {
    first += columns[column]?.length ?? 0;
    column += 1;
  }
  const text = columns[column] ?? '';
  const begin = wholePoint(text, at - first);
  const end = wholePoint(text, begin + PIECE);
  const isLast = end >= text.length;
  // A piece never has text of two columns.
  const next = isLast ? first + text.length : first + end - OVERLAP;
  const isEnd = isLast && columns.slice(column + 1).every((other) => other === '');
  return { column, text: text.slice(begin, end), next: isEnd ? null : next };
}

/** Returns the same place, or the one before where that is within a code point. */
function wholePoint(text: string, at: number): number {
  const isWithin = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0;
  return isWithin ? at - 1 : at;
}

interface Statements {
  readonly next: Statement<[], { readonly accountId: string }>;
  readonly pending: Statement<[string], Entry>;
  readonly oldPieces: Statement<[string, string], number>;
  readonly removePiece: Statement<[number]>;
  readonly removePieceRow: Statement<[number]>;
  readonly move: Statement<[number | null, string, string]>;
  readonly forget: Statement<[string, string]>;
  readonly read: Statement<[string, string], (string | null)[]>;
  readonly addRow: Statement<[string, string, string], { readonly docid: number }>;
  readonly add: Statement<unknown[]>;
}

function prepare(db: Database, { table, search }: SearchedTable): Statements {
  const [long, rows, pieces] = ['_long', '_piece_row', '_piece'].map((suffix) =>
    quote(search.name + suffix),
  );
  const columns = search.columns.map(quote).join(', ');
  const own = '"accountId" = ? AND "id" = ?';
  const marks = search.columns.map(() => '?').join(', ');
  const isWhole = `SELECT 1 FROM ${quote(`${search.name}_row`)} AS "s"
 WHERE "s"."accountId" = "d"."accountId" AND "s"."id" = "d"."id"`;
  const isPending = '"at" IS NOT NULL LIMIT 1';
  return {
    next: db.prepare(`SELECT "accountId" FROM ${long} WHERE ${isPending}`),
    pending: db.prepare(
      `SELECT "accountId", "id", "at" FROM ${long} WHERE "accountId" = ? AND ${isPending}`,
    ),
    oldPieces: db
      .prepare<[string, string], number>(
        `SELECT "docid" FROM ${rows} WHERE ${own} LIMIT ${REMOVED}`,
      )
      .pluck(),
    removePiece: db.prepare(`DELETE FROM ${pieces} WHERE rowid = ?`),
    removePieceRow: db.prepare(`DELETE FROM ${rows} WHERE "docid" = ?`),
    move: db.prepare(`UPDATE ${long} SET "at" = ? WHERE ${own}`),
    forget: db.prepare(`DELETE FROM ${long} WHERE ${own}`),
    read: db
      .prepare<[string, string], (string | null)[]>(
        `SELECT ${columns} FROM ${quote(table)} AS "d" WHERE ${own} AND NOT EXISTS (${isWhole})`,
      )
      .raw(),
    addRow: db.prepare(`INSERT INTO ${rows} ("docid", "accountId", "id")
 SELECT 1 + coalesce((SELECT max("docid") FROM ${rows} WHERE "docid" BETWEEN "a"."number" << 32
 AND ("a"."number" << 32) + 4294967295), "a"."number" << 32), ?, ?
 FROM "JmapSearchAccount" AS "a" WHERE "a"."accountId" = ? RETURNING "docid"`),
    add: db.prepare(`INSERT INTO ${pieces} (rowid, ${columns}) VALUES (?, ${marks})`),
  };
}
