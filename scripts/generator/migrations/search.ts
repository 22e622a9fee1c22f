import type { SearchIndexDefinition } from '../../../src/capability/definition.js';
import { quoted } from './sql.js';

/**
 * The SQL of search indexes, which Prisma's language can't say. A migration that
 *
 * - makes a table with a search index, or gives one to a table that exists: `create`, then `fill`;
 * - changes its columns or renames the table: `drop` of the old one before the tables change, then
 *   `create` and `fill` of the new one after;
 * - finds an index that was made before long texts had pieces: `takePieces`;
 * - has SQLite write the table anew (`new_<table>`), which drops its triggers: `triggers` after;
 * - removes the table or its index: `drop`, before the table goes.
 *
 * Statements end in a semicolon.
 */
export interface SearchSql {
  readonly create: readonly string[];
  /** Part of `create`. */
  readonly triggers: readonly string[];
  /**
   * For an index of an older version, which has no pieces. Its long texts stay as they are until
   * they change.
   */
  readonly takePieces: readonly string[];
  /** Takes in the rows that exist. */
  readonly fill: readonly string[];
  readonly drop: readonly string[];
}

/** The parts of a type that its index depends on: a ModelType has them all. */
export interface Searched {
  readonly table: string;
  readonly search: SearchIndexDefinition;
}

const FORGET_TRIGGER = 'CREATE TRIGGER IF NOT EXISTS "JmapSearchAccount_delete"';

/**
 * SQLite: an account that is deleted needs its number no longer. Belongs to JmapAccount: where a
 * migration writes that anew, the trigger is to be made again.
 */
export const FORGET_ACCOUNT = `${FORGET_TRIGGER} AFTER DELETE ON "JmapAccount" BEGIN
  DELETE FROM "JmapSearchAccount" WHERE "accountId" = OLD."id";
END;`;

/**
 * Octets of text in a row that the triggers index: it takes milliseconds. The server indexes longer
 * texts itself, in pieces, behind the commit (src/store/sqlite/search-pieces.ts).
 */
const SHORT = 8192;

/** The tables and triggers of one search index of SQLite. */
class SqliteSearch {
  readonly #name: string;
  readonly #columns: readonly string[];
  readonly #data: string;

  constructor({ table, search }: Searched) {
    this.#name = search.name;
    this.#columns = search.columns.map(quoted);
    this.#data = quoted(table);
  }

  /** Returns the SQL of the tables for short texts: a document a row. */
  get tables(): readonly string[] {
    return [...this.#documents('', 'UNIQUE ("accountId", "id")')];
  }

  /**
   * Returns the SQL of the tables for long texts: a document for each piece of a text, and the rows
   * of these documents. "at" says which part is still to be indexed. It is the first character of
   * that part, -1 where old pieces are to be removed first, and NULL where all is done.
   */
  get pieces(): readonly string[] {
    const long = this.#table('_long');
    const rows = this.#table('_piece_row');
    return [
      `CREATE TABLE ${long} (
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" INTEGER,
    PRIMARY KEY ("accountId", "id")
) WITHOUT ROWID;`,
      `CREATE INDEX ${this.#table('_long_at')} ON ${long} ("accountId") WHERE "at" IS NOT NULL;`,
      ...this.#documents('_piece'),
      `CREATE INDEX ${this.#table('_piece_row_id')} ON ${rows} ("accountId", "id");`,
    ];
  }

  get triggers(): readonly string[] {
    const index = this.#table('');
    const rows = this.#table('_row');
    const changed = this.#columns.map((column) => `OLD.${column} IS NOT NEW.${column}`);
    const update = `AFTER UPDATE ON ${this.#data} WHEN (${changed.join(' OR ')})`;
    const values = this.#columns.map((column) => `${column} = NEW.${column}`).join(', ');
    const [wasShort, isShort] = [this.#isShort('OLD'), this.#isShort('NEW')];
    const insert = `AFTER INSERT ON ${this.#data}`;
    const gotShort = `NOT ${wasShort} AND ${isShort}`;
    const remove = `DELETE FROM ${index} WHERE rowid = ${this.#docid('OLD')};
  DELETE FROM ${rows} WHERE "accountId" = OLD."accountId" AND "id" = OLD."id";`;
    return [
      `CREATE TRIGGER ${this.#table('_insert')} ${insert} WHEN ${isShort} BEGIN
  ${this.#insert}
END;`,
      `CREATE TRIGGER ${this.#table('_insert_long')} ${insert} WHEN NOT ${isShort} BEGIN
  ${this.#insertLong}
END;`,
      `CREATE TRIGGER ${this.#table('_update')} ${update} AND ${wasShort} AND ${isShort} BEGIN
  UPDATE ${index} SET ${values} WHERE rowid = ${this.#docid('NEW')};
END;`,
      `CREATE TRIGGER ${this.#table('_update_short')} ${update} AND ${gotShort} BEGIN
  ${remove}
  ${this.#insert}
  ${this.#forget('NEW')}
END;`,
      `CREATE TRIGGER ${this.#table('_update_long')} ${update} AND NOT ${isShort} BEGIN
  ${remove}
  ${this.#forget('NEW')}
  ${this.#insertLong}
END;`,
      `CREATE TRIGGER ${this.#table('_delete')} AFTER DELETE ON ${this.#data} BEGIN
  ${remove}
  ${this.#forget('OLD')}
END;`,
    ];
  }

  /** Takes in the rows of a table that exists. */
  get fill(): readonly string[] {
    const rows = this.#table('_row');
    return [
      `INSERT INTO "JmapSearchAccount" ("accountId")
  SELECT DISTINCT "accountId" FROM ${this.#data} WHERE TRUE ON CONFLICT DO NOTHING;`,
      `INSERT INTO ${rows} ("docid", "accountId", "id")
  SELECT ("a"."number" << 32) + row_number() OVER (PARTITION BY "d"."accountId" ORDER BY "d"."id"),
    "d"."accountId", "d"."id"
  FROM ${this.#data} AS "d" JOIN "JmapSearchAccount" AS "a" ON "a"."accountId" = "d"."accountId"
  WHERE ${this.#isShort('"d"')};`,
      `INSERT INTO ${this.#table('')} (rowid, ${this.#columns.join(', ')})
  SELECT "r"."docid", ${this.#values('"d"')}
  FROM ${rows} AS "r" CROSS JOIN ${this.#data} AS "d"
    ON "d"."accountId" = "r"."accountId" AND "d"."id" = "r"."id";`,
      `INSERT INTO ${this.#table('_long')} ("accountId", "id", "at")
  SELECT "accountId", "id", 0 FROM ${this.#data} AS "d" WHERE NOT ${this.#isShort('"d"')};`,
    ];
  }

  get dropTriggers(): readonly string[] {
    return ['insert', 'insert_long', 'update', 'update_short', 'update_long', 'delete'].map(
      (event) => `DROP TRIGGER IF EXISTS ${this.#table(`_${event}`)};`,
    );
  }

  get dropTables(): readonly string[] {
    return ['', '_row', '_piece', '_piece_row', '_long'].map(
      (table) => `DROP TABLE IF EXISTS ${this.#table(table)};`,
    );
  }

  #documents(suffix: string, ...constraints: readonly string[]): readonly string[] {
    const lines = [
      '"docid" INTEGER PRIMARY KEY',
      '"accountId" TEXT NOT NULL',
      '"id" TEXT NOT NULL',
      ...constraints,
    ];
    return [
      `CREATE TABLE ${this.#table(`${suffix}_row`)} (
    ${lines.join(',\n    ')}
);`,
      `CREATE VIRTUAL TABLE ${this.#table(suffix)} USING fts5(${this.#columns.join(', ')}, ` +
        `content='', contentless_delete=1, detail=column, tokenize='trigram case_sensitive 1');`,
    ];
  }

  get #insert(): string {
    const rows = this.#table('_row');
    const columns = this.#columns.join(', ');
    const values = `${this.#docid('NEW')}, ${this.#values('NEW')}`;
    return `${NUMBER_ACCOUNT}
  INSERT INTO ${rows} ("docid", "accountId", "id")
    SELECT 1 + coalesce((SELECT max("docid") FROM ${rows} WHERE "docid" BETWEEN "a"."number" << 32
      AND ("a"."number" << 32) + 4294967295), "a"."number" << 32), NEW."accountId", NEW."id"
    FROM "JmapSearchAccount" AS "a" WHERE "a"."accountId" = NEW."accountId";
  INSERT INTO ${this.#table('')} (rowid, ${columns}) VALUES (${values});`;
  }

  get #insertLong(): string {
    const long = this.#table('_long');
    return `${NUMBER_ACCOUNT}
  INSERT INTO ${long} ("accountId", "id", "at") SELECT NEW."accountId", NEW."id", 0
    WHERE NOT EXISTS (SELECT 1 FROM ${long} WHERE ${isObject('NEW')});`;
  }

  /** Returns the SQL that marks an object's pieces for removal, which the server does. */
  #forget(row: string): string {
    return `UPDATE ${this.#table('_long')} SET "at" = -1 WHERE ${isObject(row)};`;
  }

  #docid(row: string): string {
    return `(SELECT "docid" FROM ${this.#table('_row')} WHERE ${isObject(row)})`;
  }

  #isShort(row: string): string {
    const octets = this.#columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`);
    return `(${octets.join(' + ')} <= ${SHORT})`;
  }

  #values(row: string): string {
    return this.#columns.map((column) => `${row}.${column}`).join(', ');
  }

  #table(suffix: string): string {
    return quoted(this.#name + suffix);
  }
}

/** Returns the SQL condition for the object of another row, such as NEW. */
function isObject(row: string): string {
  return `"accountId" = ${row}."accountId" AND "id" = ${row}."id"`;
}

const NUMBER_ACCOUNT = `INSERT INTO "JmapSearchAccount" ("accountId")
    SELECT NEW."accountId" WHERE NOT EXISTS
      (SELECT 1 FROM "JmapSearchAccount" WHERE "accountId" = NEW."accountId");`;

/**
 * Returns the search index on SQLite: FTS5 tables of trigrams, kept up to date by triggers, those
 * of long texts by the server. A document's docid is its account's number * 2^32 + n, so that a
 * lookup reads the range of one account alone. It is an INTEGER PRIMARY KEY, which VACUUM keeps (a
 * data table's own rowid it may change). The text itself is in the data table and nowhere else
 * (contentless), and positions are not kept (`detail=column`): the reader compares the text anyway.
 */
export function sqliteSearchSql(searched: Searched): SearchSql {
  const search = new SqliteSearch(searched);
  return Object.freeze({
    create: [
      `CREATE TABLE IF NOT EXISTS "JmapSearchAccount" (
    "number" INTEGER PRIMARY KEY,
    "accountId" TEXT NOT NULL UNIQUE
);`,
      FORGET_ACCOUNT,
      ...search.tables,
      ...search.pieces,
      ...search.triggers,
    ],
    triggers: search.triggers,
    takePieces: [...search.dropTriggers, ...search.pieces, ...search.triggers],
    fill: search.fill,
    drop: [...search.dropTriggers, ...search.dropTables],
  });
}

/**
 * Returns the search index on PostgreSQL: one GIN index of trigrams, with the account in front.
 * Both extensions are trusted ones: the owner of a database may make them. `fill` is empty: making
 * an index fills it.
 */
export function postgresqlSearchSql({ table, search }: Searched): SearchSql {
  const columns = search.columns.map((column) => `${quoted(column)} gin_trgm_ops`);
  return Object.freeze({
    create: [
      'CREATE EXTENSION IF NOT EXISTS btree_gin;',
      'CREATE EXTENSION IF NOT EXISTS pg_trgm;',
      `CREATE INDEX ${quoted(search.name)} ON ${quoted(table)} ` +
        `USING gin ("accountId", ${columns.join(', ')});`,
    ],
    triggers: [],
    takePieces: [],
    fill: [],
    drop: [`DROP INDEX IF EXISTS ${quoted(search.name)};`],
  });
}
