import type { SearchIndexDefinition } from '../../../src/capability/definition.js';
import { quoted } from './sql.js';

/**
 * The SQL of search indexes, which Prisma's language can't say. A migration that
 *
 * - makes a table with a search index, or gives one to a table that exists: `create`, then `fill`;
 * - changes its columns or renames the table: `drop` of the old one before the tables change, then
 *   `create` and `fill` of the new one after;
 * - has SQLite write the table anew (`new_<table>`), which drops its triggers: `triggers` after;
 * - removes the table or its index: `drop`, before the table goes.
 *
 * Statements end in a semicolon.
 */
export interface SearchSql {
  readonly create: readonly string[];
  /** Part of `create`. */
  readonly triggers: readonly string[];
  /** Takes in the rows that exist. */
  readonly fill: readonly string[];
  readonly drop: readonly string[];
}

/** What of a type its index depends on: a ModelType has it all. */
export interface Searched {
  readonly table: string;
  readonly search: SearchIndexDefinition;
}

/**
 * SQLite: an account that is deleted needs its number no longer. Belongs to JmapAccount: where a
 * migration writes that anew, the trigger is to be made again.
 */
export const FORGET_ACCOUNT = `CREATE TRIGGER IF NOT EXISTS "JmapSearchAccount_delete" AFTER DELETE ON "JmapAccount" BEGIN
  DELETE FROM "JmapSearchAccount" WHERE "accountId" = OLD."id";
END;`;

/**
 * SQLite: an FTS5 table of trigrams, kept up to date by triggers. A row's docid is its account's
 * number * 2^32 + n, so that a lookup reads the range of one account alone; it is an INTEGER PRIMARY
 * KEY, which VACUUM keeps (a data table's own rowid it may change). The text itself is in the data
 * table and nowhere else (contentless), and positions are not kept (`detail=column`): the reader
 * compares the text anyway.
 */
export function sqliteSearchSql({ table, search }: Searched): SearchSql {
  const index = quoted(search.name);
  const rows = quoted(`${search.name}_row`);
  const data = quoted(table);
  const columns = search.columns.map(quoted);
  const list = columns.join(', ');
  const values = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  const docid = (row: string) =>
    `(SELECT "docid" FROM ${rows} WHERE "accountId" = ${row}."accountId" AND "id" = ${row}."id")`;
  const changed = columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ');
  const trigger = (event: string) => quoted(`${search.name}_${event}`);

  const triggers = [
    `CREATE TRIGGER ${trigger('insert')} AFTER INSERT ON ${data} BEGIN
  INSERT INTO "JmapSearchAccount" ("accountId") VALUES (NEW."accountId") ON CONFLICT DO NOTHING;
  INSERT INTO ${rows} ("docid", "accountId", "id")
    SELECT 1 + coalesce((SELECT max("docid") FROM ${rows} WHERE "docid" BETWEEN "a"."number" << 32
      AND ("a"."number" << 32) + 4294967295), "a"."number" << 32), NEW."accountId", NEW."id"
    FROM "JmapSearchAccount" AS "a" WHERE "a"."accountId" = NEW."accountId";
  INSERT INTO ${index} (rowid, ${list}) VALUES (${docid('NEW')}, ${values('NEW')});
END;`,
    `CREATE TRIGGER ${trigger('update')} AFTER UPDATE ON ${data} WHEN ${changed} BEGIN
  UPDATE ${index} SET ${columns
    .map((column) => `${column} = NEW.${column}`)
    .join(', ')} WHERE rowid = ${docid('NEW')};
END;`,
    `CREATE TRIGGER ${trigger('delete')} AFTER DELETE ON ${data} BEGIN
  DELETE FROM ${index} WHERE rowid = ${docid('OLD')};
  DELETE FROM ${rows} WHERE "accountId" = OLD."accountId" AND "id" = OLD."id";
END;`,
  ];
  return Object.freeze({
    create: [
      `CREATE TABLE IF NOT EXISTS "JmapSearchAccount" (
    "number" INTEGER PRIMARY KEY,
    "accountId" TEXT NOT NULL UNIQUE
);`,
      FORGET_ACCOUNT,
      `CREATE TABLE ${rows} (
    "docid" INTEGER PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    UNIQUE ("accountId", "id")
);`,
      `CREATE VIRTUAL TABLE ${index} USING fts5(${list}, content='', contentless_delete=1, ` +
        `detail=column, tokenize='trigram case_sensitive 1');`,
      ...triggers,
    ],
    triggers,
    fill: [
      `INSERT INTO "JmapSearchAccount" ("accountId")
  SELECT DISTINCT "accountId" FROM ${data} WHERE TRUE ON CONFLICT DO NOTHING;`,
      `INSERT INTO ${rows} ("docid", "accountId", "id")
  SELECT ("a"."number" << 32) + row_number() OVER (PARTITION BY "d"."accountId" ORDER BY "d"."id"),
    "d"."accountId", "d"."id"
  FROM ${data} AS "d" JOIN "JmapSearchAccount" AS "a" ON "a"."accountId" = "d"."accountId";`,
      `INSERT INTO ${index} (rowid, ${list})
  SELECT "r"."docid", ${values('"d"')}
  FROM ${rows} AS "r" CROSS JOIN ${data} AS "d"
    ON "d"."accountId" = "r"."accountId" AND "d"."id" = "r"."id";`,
    ],
    drop: [
      ...['insert', 'update', 'delete'].map((event) => `DROP TRIGGER IF EXISTS ${trigger(event)};`),
      `DROP TABLE IF EXISTS ${index};`,
      `DROP TABLE IF EXISTS ${rows};`,
    ],
  });
}

/**
 * PostgreSQL: one GIN index of trigrams, with the account in front. Both extensions are trusted ones:
 * the owner of a database may make them. `fill` is empty: making an index fills it.
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
    fill: [],
    drop: [`DROP INDEX IF EXISTS ${quoted(search.name)};`],
  });
}
