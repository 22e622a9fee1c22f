import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../../../scripts/generator/migrations/compose.js';
import { sqliteSearchSql } from '../../../scripts/generator/migrations/search.js';
import { searchSql } from '../../../scripts/generator/migrations/search-changes.js';
import { migrate } from '../../../src/database/sqlite/index.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { fold } from '../../../src/text/index.js';
import { emptyProject } from './database.js';
import { model, property, type } from './models.js';
import { generate, sql } from './project.js';

/** SQLite's search indexes through the migrations of a type. */

let root: string;
let db: Database;

beforeEach(() => {
  ({ root, db } = emptyProject());
});

const TITLE = property('title', 'string', { required: true });
const BODY = property('body', 'string', { nullable: true });

function note(
  searched: readonly string[],
  rest: Parameters<typeof type>[2] = {},
  more = [TITLE, BODY],
) {
  return type('Note', more, {
    folded: ['title', 'body'],
    ...(searched.length === 0
      ? {}
      : { search: { name: 'Note_search', columns: searched.map((name) => `${name}_folded`) } }),
    ...rest,
  });
}

const SEARCH = { name: 'Note_search', columns: ['title_folded'] };

/** The index as the generator made it before long texts had pieces. */
const OLD = [
  `CREATE TABLE "Note_search_row" ("docid" INTEGER PRIMARY KEY, "accountId" TEXT NOT NULL,
 "id" TEXT NOT NULL, UNIQUE ("accountId", "id"))`,
  `CREATE VIRTUAL TABLE "Note_search" USING fts5("title_folded", content='', contentless_delete=1,
 detail=column, tokenize='trigram case_sensitive 1')`,
  `CREATE TRIGGER "Note_search_insert" AFTER INSERT ON "Note" BEGIN
  INSERT INTO "JmapSearchAccount" ("accountId") VALUES (NEW."accountId") ON CONFLICT DO NOTHING;
  INSERT INTO "Note_search_row" ("docid", "accountId", "id")
    SELECT 1 + coalesce((SELECT max("docid") FROM "Note_search_row"), "number" << 32),
      NEW."accountId", NEW."id"
    FROM "JmapSearchAccount" WHERE "accountId" = NEW."accountId";
  INSERT INTO "Note_search" (rowid, "title_folded")
    SELECT "docid", NEW."title_folded" FROM "Note_search_row" WHERE "id" = NEW."id";
END`,
];

/** Generates and applies; the SQL of what was new. */
async function advance(one: ModelType): Promise<string> {
  const plan = await generate(root, model([one]));
  expect(plan.problems).toEqual([]);
  const { applied } = migrate(db, join(root, 'prisma/sqlite/migrations'));
  return applied.map((name) => sql(plan, name)).join('');
}

function add(accountId: string, id: string, title: string, body: string | null): void {
  db.prepare(
    `INSERT INTO "Note" ("accountId", "id", "created", "updated", "title", "body",
 "title_folded", "body_folded") VALUES (?, ?, 1, 2, ?, ?, ?, ?)`,
  ).run(accountId, id, title, body, fold(title), body === null ? null : fold(body));
}

function found(trigram: string): readonly unknown[] {
  return db
    .prepare(
      `SELECT "id" FROM "Note_search_row" WHERE "docid" IN
 (SELECT rowid FROM "Note_search" WHERE "Note_search" MATCH ?) ORDER BY "id"`,
    )
    .pluck()
    .all(`"${trigram}"`);
}

describe('search indexes in SQLite migrations', () => {
  it('are there from the first row on', async () => {
    await advance(note(['title', 'body']));
    add('a', 'r1', 'Москва', null);
    add('b', 'r2', '東京都', 'nothing');
    expect([found('мос'), found('東京都'), found('not')]).toEqual([['r1'], ['r2'], ['r2']]);
  });

  it('forget an account that is deleted, and no other', async () => {
    await advance(note(['title']));
    const account = db.prepare('INSERT INTO "JmapAccount" VALUES (?, ?, ?, NULL, 1)');
    for (const id of ['a', 'b']) account.run(id, id, 'u');
    add('a', 'r1', 'first', null);
    add('b', 'r2', 'first too', null);
    db.exec(
      `DELETE FROM "Note" WHERE "accountId" = 'a'; DELETE FROM "JmapAccount" WHERE "id" = 'a'`,
    );
    const left = db.prepare('SELECT "accountId" FROM "JmapSearchAccount"').pluck();
    expect(left.all()).toEqual(['b']);
    await advance(note(['title', 'body']));
    db.exec(`DELETE FROM "Note"; DELETE FROM "JmapAccount"`);
    expect(left.all()).toEqual([]);
  });

  it('forget it too once a migration has written its table again', () => {
    const now = note(['title']);
    const capability = { urn: '', name: '', types: [now], methods: [], drops: [] };
    const unchanged = {
      provider: 'sqlite',
      model: model([now]),
      snapshot: { tables: [], model: { capabilities: [capability] } },
      renames: [],
      clean: [],
      left: [],
    } as unknown as Change;
    expect(searchSql(unchanged, new Set()).triggers).toEqual([]);
    const { triggers } = searchSql(unchanged, new Set(['JmapAccount']));
    expect(triggers.join('')).toContain('AFTER DELETE ON "JmapAccount"');
  });

  it('take in the rows of a table that exists', async () => {
    await advance(note([]));
    add('a', 'r1', 'first', null);
    add('b', 'r2', 'first too', 'body');
    await advance(note(['title']));
    add('a', 'r3', 'the first of the new', null);
    expect(found('fir')).toEqual(['r1', 'r2', 'r3']);
    expect(found('bod')).toEqual([]);
  });

  it('of an older version get tables for pieces of long texts, and keep their rows', async () => {
    await advance(note(['title']));
    const long = `first ${'and more '.repeat(2000)}`;
    // As the version before left it: one document a row, whatever its length.
    for (const statement of sqliteSearchSql({ table: 'Note', search: SEARCH }).drop)
      db.exec(statement);
    for (const statement of OLD) db.exec(statement);
    add('a', 'r1', long, null);
    add('a', 'r2', 'first too', null);
    const file = join(root, 'prisma/sqlite/migrations/0001_init/model.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s*"hasPieces": true/, ''));
    const upgraded = await advance(note(['title']));
    expect(upgraded).toContain('"Note_search_long"');
    expect(upgraded).not.toContain('INSERT INTO "Note_search"\n');
    expect(found('fir')).toEqual(['r1', 'r2']);
    add('a', 'r3', long, null);
    expect(found('fir')).toEqual(['r1', 'r2']);
    const pending = db.prepare('SELECT "id" FROM "Note_search_long" ORDER BY "id"').pluck();
    expect(pending.all()).toEqual(['r3']);
    db.prepare(`UPDATE "Note" SET "title_folded" = ? WHERE "id" = 'r1'`).run(`${long} changed`);
    expect(found('fir')).toEqual(['r2']);
    expect(pending.all()).toEqual(['r1', 'r3']);
  });

  it('take another column, and go', async () => {
    await advance(note(['title']));
    add('a', 'r1', 'first', 'body');
    await advance(note(['title', 'body']));
    expect([found('fir'), found('bod')]).toEqual([['r1'], ['r1']]);
    db.exec(`UPDATE "Note" SET "body_folded" = 'other'`);
    expect([found('bod'), found('oth')]).toEqual([[], ['r1']]);
    await advance(note([]));
    db.exec(`DELETE FROM "Note"`);
    const left = db.prepare(`SELECT "name" FROM sqlite_master WHERE "name" LIKE 'Note%search%'`);
    expect(left.all()).toEqual([]);
  });

  it('are kept if the table is written again', async () => {
    await advance(note(['title']));
    add('a', 'r1', 'first', null);
    // SQLite can't make a column nullable but by a copy of the table.
    const written = await advance(
      note(['title'], {}, [{ ...TITLE, required: false, nullable: true }, BODY]),
    );
    expect(written).toContain('ALTER TABLE "new_Note" RENAME TO "Note"');
    expect(written).not.toContain('INSERT INTO "Note_search"\n');
    add('a', 'r2', 'after the first', null);
    db.exec(`DELETE FROM "Note" WHERE "id" = 'r1'`);
    expect(found('fir')).toEqual(['r2']);
  });
});
