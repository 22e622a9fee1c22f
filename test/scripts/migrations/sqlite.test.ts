import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBackfillDatabase } from '../../../src/database/backfill-database.js';
import { migrate, openDatabase, Writer } from '../../../src/database/sqlite/index.js';
import { openPrisma } from '../../../src/database/sqlite/prisma.js';
import type { Model } from '../../../src/descriptor/model.js';
import { miscountedSql } from '../../../src/store/sql/aggregate-sql.js';
import { sqlite } from '../../../src/store/sqlite/dialect.js';
import { createSqliteStore } from '../../../src/store/sqlite/index.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import { conductor } from '../../support/conductor.js';
import { mendsConsequences } from './consequences.js';
import { convertsObjects } from './conversions.js';
import { advanceTo, emptyProject } from './database.js';
import { evolves } from './evolution.js';
import type { Evolving } from './evolving.js';
import { finishes } from './leftovers.js';
import { indexed, model, property, todo, type } from './models.js';
import { indexesNestedBlobs } from './nested-blobs.js';
import { indexesNestedReferences } from './nested-references.js';
import { generate, names, sql } from './project.js';
import { start } from './starting.js';
import { reformsValues } from './stored-forms.js';

let root: string;
let db: Database;

beforeEach(() => {
  ({ root, db } = emptyProject());
});

const advance = (of: Model): Promise<readonly string[]> => advanceTo(root, db, of);

function addTodo(id: string, text: string): void {
  db.prepare(
    `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done", "text_folded",
      "text_casemap")
     VALUES ('a', ?, 1, 2, ?, 1, ?, ?)`,
  ).run(id, text, fold(text), casemapKey(text));
}

function rows(statement: string): unknown[] {
  return db.prepare(statement).all();
}

describe('SQLite migrations', () => {
  it('make the tables of the engine and of the data types', async () => {
    expect(await advance(model([todo()]))).toEqual(['0001_init']);
    const tables = db
      .prepare(`SELECT "name" FROM sqlite_master WHERE "type" = 'table'`)
      .pluck()
      .all();
    for (const name of ['JmapUser', 'JmapAccount', 'JmapState', 'JmapChange', 'JmapBlob', 'Todo'])
      expect(tables).toContain(name);
    addTodo('r1', 'Äpfel');
    expect(rows(`SELECT "text_folded" FROM "Todo"`)).toEqual([{ text_folded: 'äpfel' }]);
  });

  it('keep the tables of every call in the order of their key, without a second tree', async () => {
    await advance(model([todo()]));
    const withoutRowid = db
      .prepare(`SELECT "name" FROM pragma_table_list WHERE "wr" = 1 AND "schema" = 'main'`)
      .pluck()
      .all();
    expect(withoutRowid).toEqual(expect.arrayContaining(['JmapState', 'JmapChange']));
    expect(withoutRowid).not.toContain('Todo');
  });

  it('add a type and keep the rows that exist', async () => {
    await advance(model([todo()]));
    addTodo('r1', 'Milk');
    const country = type('Country', [property('name', 'string')]);
    expect(await advance(model([todo(), country]))).toEqual(['0002_country']);
    expect(rows(`SELECT "text" FROM "Todo"`)).toEqual([{ text: 'Milk' }]);
    expect(rows(`SELECT * FROM "Country"`)).toEqual([]);
  });

  it('add properties: null or the default where rows exist', async () => {
    await advance(model([todo()]));
    addTodo('r1', 'Milk');
    const more = [
      property('due', 'date', { nullable: true }),
      property('rank', 'integer', { default: 3 }),
      property('small', 'number', { default: 1e-7 }),
      property('since', 'date', { default: '1970-01-02T00:00:00Z' }),
      property('kind', 'string', { default: 'it\'s "x" TEXT;\n\\' }),
      property('list', 'json', { default: ["it's", { a: 'x"y' }] }),
    ];
    const sorts = more.slice(1, 2).map((rank) => indexed(rank));
    expect(await advance(model([todo(more, { sorts })]))).toEqual(['0002_todo_due']);
    expect(
      rows(`SELECT "text", "due", "rank", "small", "since", "kind", "list" FROM "Todo"`),
    ).toEqual([
      {
        text: 'Milk',
        due: null,
        rank: 3,
        small: 1e-7,
        since: 86_400_000,
        kind: 'it\'s "x" TEXT;\n\\',
        list: JSON.stringify(["it's", { a: 'x"y' }]),
      },
    ]);
    expect(rows(`SELECT "name" FROM pragma_index_list('Todo') WHERE "origin" = 'c'`)).toEqual([
      { name: 'Todo_accountId_rank_id_idx' },
    ]);
  });

  it('fill shadow columns that come to rows which exist, as the engine fills them', async () => {
    const place = property('place', 'string', { nullable: true });
    await advance(model([todo([place], { folded: [], casemapped: [] })]));
    const insert = db.prepare(
      `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done", "place")
       VALUES ('a', ?, 1, 2, ?, 0, ?)`,
    );
    insert.run('r1', 'STRASSE', 'Ålesund');
    insert.run('r2', 'Straße', null);
    const shadows = { folded: ['text', 'place'], casemapped: ['text'] };
    expect(await advance(model([todo([place], shadows)]))).toEqual(['0002_todo_text_folded']);
    expect(
      rows(`SELECT "text_folded", "place_folded", "text_casemap" FROM "Todo" ORDER BY "id"`),
    ).toEqual([
      { text_folded: 'strasse', place_folded: 'ålesund', text_casemap: casemapKey('STRASSE') },
      { text_folded: 'strasse', place_folded: null, text_casemap: casemapKey('Straße') },
    ]);
  });

  it('keep rows, key order and indexes where SQLite has to copy the table', async () => {
    const rank = property('rank', 'integer', { default: 0 });
    const sorts = [indexed(rank)];
    await advance(model([todo([rank], { sorts })]));
    addTodo('r1', 'Milk');
    // A property that becomes nullable: SQLite's ALTER TABLE has no word for it.
    const nullable = property('rank', 'integer', { nullable: true });
    const plan = await generate(root, model([todo([nullable], { sorts })]));
    const [, name = ''] = names(plan);
    expect(sql(plan, name)).not.toContain('PRAGMA');
    expect(migrate(db, join(root, 'prisma/sqlite/migrations')).applied).toEqual([name]);
    expect(rows(`SELECT "id", "rank" FROM "Todo"`)).toEqual([{ id: 'r1', rank: 0 }]);
    db.exec(`UPDATE "Todo" SET "rank" = NULL`);
    expect(rows(`SELECT "name" FROM pragma_index_list('Todo') WHERE "origin" = 'c'`)).toEqual([
      { name: 'Todo_accountId_rank_id_idx' },
    ]);
  });
});

const evolving = async (): Promise<Evolving> => ({
  migrate: async (of) => migrate(db, join(of, 'prisma/sqlite/migrations')).applied,
  run: async (statement) => void db.exec(statement),
  rows: async (statement) => rows(statement) as Record<string, unknown>[],
  async start(of) {
    const file = join(root, 'test.db');
    const writerDatabase = openDatabase({ file });
    const writer = new Writer(writerDatabase, conductor);
    const prisma = openPrisma(writerDatabase, writer);
    const store = createSqliteStore({
      writer,
      writerDatabase,
      types: of.types,
      reader: openDatabase({ file, readonly: true }),
    });
    try {
      const database = openBackfillDatabase(prisma, (one) => miscountedSql(one, sqlite));
      await (await start(of, { store, database, shared: false })).stop();
    } finally {
      await prisma.$disconnect();
      await store.close();
    }
  },
  isShared: false,
});

describe('SQLite migrations of a project that goes on', () => {
  convertsObjects(evolving);
  evolves(evolving);
  finishes(evolving);
  indexesNestedBlobs(evolving);
  indexesNestedReferences(evolving);
  mendsConsequences(evolving);
  reformsValues(evolving);
});
