import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBackfillDatabase } from '../../../src/database/backfill-database.js';
import { MigrationError } from '../../../src/database/migrations.js';
import { migrate, migrationStatus, openPool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import { postgresql as dialect } from '../../../src/store/postgresql/dialect.js';
import { createPostgresqlStore } from '../../../src/store/postgresql/index.js';
import { miscountedSql } from '../../../src/store/sql/aggregate-sql.js';
import { fold } from '../../../src/text/index.js';
import { conductor } from '../../support/conductor.js';
import { usePostgresql } from '../../support/postgresql.js';
import { mendsConsequences } from './consequences.js';
import { convertsObjects } from './conversions.js';
import { rowsOf } from './databases.js';
import { evolves } from './evolution.js';
import type { Evolving } from './evolving.js';
import { followsWhileServing, type Served } from './following.js';
import { finishes } from './leftovers.js';
import { indexed, model, property, todo, type } from './models.js';
import { indexesNestedBlobs } from './nested-blobs.js';
import { indexesNestedReferences } from './nested-references.js';
import { generate, temporaryRoot } from './project.js';
import { start } from './starting.js';
import { reformsValues } from './stored-forms.js';

const server = usePostgresql();
let databases = 0;

/** Returns the database as a server's start sees it. */
const openBackfill = (pool: ReturnType<typeof openPool>) =>
  openBackfillDatabase(openPrisma(pool), (one) => miscountedSql(one, dialect));

/** An empty database of the test's own. */
async function open(): Promise<Served & { readonly url: string }> {
  databases += 1;
  const url = await server().createDatabase(`evolution${databases}`);
  const pool = openPool({ url, size: 2 });
  onTestFinished(() => pool.end());
  const serve: Served['serve'] = async (of, pause) => {
    const store = createPostgresqlStore({
      conductor,
      pool: openPool({ url, size: 2, pipeline: true }),
      types: of.types,
    });
    const how = { store, database: openBackfill(pool), shared: true, ...(pause && { pause }) };
    try {
      const running = await start(of, how);
      const stop = async () => {
        await running.stop();
        await store.close();
      };
      return { stop };
    } catch (error) {
      await store.close();
      throw error;
    }
  };
  return {
    migrate: async (root) =>
      (await migrate(pool, join(root, 'prisma/postgresql/migrations'))).applied,
    run: async (statement) => void (await pool.query(statement)),
    rows: (statement) => rowsOf(pool, statement),
    start: async (of) => (await serve(of)).stop(),
    serve,
    isShared: true,
    url,
  };
}

/** Generates for the model and applies what is new. */
async function advance(root: string, db: Evolving, of: ReturnType<typeof model>) {
  const plan = await generate(root, of);
  expect(plan.problems).toEqual([]);
  return db.migrate(root);
}

const TODO_ROW = `INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done",
  "text_folded", "text_casemap")
 VALUES ('a', 'r1', 1, 2, 'Milk', true, 'milk', 'MILK')`;

describe('PostgreSQL migrations', () => {
  it('make tables whose text compares by bytes', async () => {
    const connection = await open();
    await advance(temporaryRoot(), connection, model([todo()]));
    const rows = await connection.rows(`
        SELECT table_name, column_name, collation_name FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' AND data_type = 'text'
        AND collation_name IS DISTINCT FROM 'C'`);
    expect(rows).toEqual([]);
    for (const id of ['b', 'B', 'a', '_'])
      await connection.run(`INSERT INTO "JmapMeta" VALUES ('${id}', '')`);
    const sorted = await connection.rows(`SELECT "key" FROM "JmapMeta" ORDER BY "key"`);
    expect(sorted.map(({ key }) => key)).toEqual(['B', '_', 'a', 'b']);
  });

  it('add a type and properties, and keep the rows that exist', async () => {
    const connection = await open();
    const root = temporaryRoot();
    await advance(root, connection, model([todo()]));
    await connection.run(TODO_ROW);
    const more = [
      property('rank', 'integer', { default: 3 }),
      property('kind', 'string', { default: 'it\'s "x" TEXT;\n\\' }),
      property('list', 'json', { default: ["it's", { a: 'x"y' }] }),
    ];
    const sorts = more.slice(0, 1).map((rank) => indexed(rank));
    const country = type('Country', [property('name', 'string')]);
    await advance(root, connection, model([todo(more, { sorts }), country]));
    const rows = await connection.rows(`SELECT "text", "rank", "kind", "list" FROM "Todo"`);
    expect(rows).toEqual([
      {
        text: 'Milk',
        rank: 3,
        kind: 'it\'s "x" TEXT;\n\\',
        list: ["it's", { a: 'x"y' }],
      },
    ]);
  });

  it('make indexes of tables that exist concurrently, outside of the transaction', async () => {
    const db = await open();
    const root = temporaryRoot();
    await advance(root, db, model([todo()]));
    const sorts = [indexed(property('done', 'boolean'))];
    const plan = await generate(root, model([todo([], { sorts })]));
    expect(plan.files.get('prisma/postgresql/migrations/0002_todo/migration.sql')).toMatch(
      /-- outside a transaction\nCREATE INDEX CONCURRENTLY "Todo_accountId_done_id_idx"/,
    );
    expect(await db.migrate(root)).toEqual(['0002_todo']);
    const valid = await db.rows(
      `SELECT "indisvalid" FROM pg_index WHERE "indexrelid" =
        '"Todo_accountId_done_id_idx"'::regclass`,
    );
    expect(valid).toEqual([{ indisvalid: true }]);
    expect(await db.rows(`SELECT * FROM "JmapMeta" WHERE "key" LIKE 'backfill:%'`)).toEqual([]);
  });

  it('go on with a backfill that was cut short, behind the last row that was filled', async () => {
    const db = await open();
    const root = temporaryRoot();
    await advance(root, db, model([todo([], { folded: [] })]));
    for (const id of ['r1', 'r2', 'r3'])
      await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text",
        "text_casemap")
        VALUES ('a', '${id}', 1, 2, 'Straße', '')`);
    await advance(root, db, model([todo()]));
    // As a process leaves it that was killed after the first row.
    await db.run(`UPDATE "Todo" SET "text_folded" = ''`);
    await db.run(`INSERT INTO "JmapMeta" VALUES
      ('backfill:0002_todo_text_folded', '{"step":0,"after":["a","r1"]}')`);
    expect(await db.migrate(root)).toEqual([]);
    expect(await db.rows(`SELECT "text_folded" FROM "Todo" ORDER BY "id"`)).toEqual([
      { text_folded: '' },
      { text_folded: fold('Straße') },
      { text_folded: fold('Straße') },
    ]);
    expect(await db.rows(`SELECT * FROM "JmapMeta" WHERE "key" LIKE 'backfill:%'`)).toEqual([]);
  });
});

describe('an ordered index over text that was longer once', () => {
  const label = (maxLength: number) =>
    property('label', 'string', { default: '', schema: { type: 'string', maxLength } });
  /** Nothing that PostgreSQL could compress. */
  const long = randomBytes(3000).toString('base64');

  const indexes = model([type('Todo', [label(500)], { sorts: [indexed(label(500))] })]);

  async function begin(next = indexes) {
    const db = await open();
    const root = temporaryRoot();
    await advance(root, db, model([type('Todo', [label(10_000)])]));
    const insert = (id: string, text: string) =>
      db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "label")
        VALUES ('a', '${id}', 1, 1, '${text}')`);
    // The narrowing is released before the index: no descriptor says any more how long text was.
    await advance(root, db, model([type('Todo', [label(500)], { drops: ['label'] })]));
    const plan = await generate(root, next);
    expect(plan.problems).toEqual([]);
    return { db, root, insert };
  }

  it('names the objects that have no room in it, and changes nothing', async () => {
    const { db, root, insert } = await begin();
    await insert('r0', '😀'.repeat(500));
    for (const id of ['r1', 'r2', 'r3', 'r4']) await insert(id, long);
    const message =
      'The migration 0003_todo makes an ordered index over Todo.label, in which PostgreSQL has ' +
      'room for 2704 octets, and objects have longer values: r1 in account a (4003 octets); r2 ' +
      'in account a (4003 octets); r3 in account a (4003 octets); and more. Shorten them with ' +
      'the previous version, then migrate again. Nothing of this migration was applied.';
    await expect(db.migrate(root)).rejects.toThrow(new MigrationError(message));
    const applied = await db.rows(`SELECT "migration_name" AS "name" FROM "_prisma_migrations"`);
    expect(applied).toHaveLength(2);
    expect(await db.rows(`SELECT * FROM "JmapMeta" WHERE "key" LIKE 'backfill:%'`)).toEqual([]);
    await db.run(`UPDATE "Todo" SET "label" = 'short' WHERE "id" <> 'r0'`);
    expect(await db.migrate(root)).toEqual(['0003_todo']);
  });

  it('calls them what clients call them, and tells of rows so', async () => {
    const tag = { ...label(500), name: 'tag', column: 'tag', renamedFrom: 'label' };
    const names = { renamedFrom: 'Todo', folded: ['tag'], sorts: [indexed(tag)] };
    const { db, root, insert } = await begin(model([type('Task', [tag], names)]));
    for (const id of ['r1', 'r2']) await insert(id, long);
    await expect(db.migrate(root)).rejects.toThrow(/ordered index over Task[.]tag, in which/);
    await db.run(`UPDATE "Todo" SET "label" = 'short'`);
    const pool = openPool({ url: db.url, size: 1 });
    onTestFinished(() => pool.end());
    const told: unknown[] = [];
    await migrate(pool, join(root, 'prisma/postgresql/migrations'), (_, type, rows) =>
      told.push([type, rows]),
    );
    expect(told).toEqual([['Task', 2]]);
  });

  it('names them where the version before wrote them since', async () => {
    const { db, root, insert } = await begin();
    const folder = join(root, 'prisma/postgresql/migrations');
    // As a process leaves it that was killed before the index was made.
    await db.migrate(root);
    await db.run('DROP INDEX "Todo_accountId_label_id_idx"');
    await db.run(`INSERT INTO "JmapMeta" VALUES ('backfill:0003_todo', '{"step":0,"after":null}')`);
    await insert('r1', long);
    for (let run = 0; run < 2; run += 1)
      await expect(db.migrate(root)).rejects.toThrow(
        /^The migration 0003_todo makes .*: r1 in account a .* that wrote them, stop it, and migrate again/,
      );
    const pool = openPool({ url: db.url, size: 1 });
    onTestFinished(() => pool.end());
    expect((await migrationStatus(pool, folder)).pending).toEqual(['0003_todo']);
    await db.run(`UPDATE "Todo" SET "label" = 'short'`);
    await db.migrate(root);
    expect((await migrationStatus(pool, folder)).pending).toEqual([]);
  });
});

it('finds objects that the version before writes within the pause', async () => {
  const db = await open();
  const root = temporaryRoot();
  await advance(root, db, model([todo([], { folded: [] })]));
  await db.run(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('a', '', 'u', 1)`,
  );
  await advance(root, db, model([todo()]));
  const pool = openPool({ url: db.url, size: 2 });
  const store = createPostgresqlStore({
    conductor,
    pool: openPool({ url: db.url, size: 2, pipeline: true }),
    types: [todo()],
  });
  const rest = await start(
    { types: [todo()] },
    { store, database: openBackfill(pool), shared: true, pause: 20 },
  );
  try {
    await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text",
      "text_casemap")
      VALUES ('a', 'r1', 1, ${Date.now()}, 'Straße', '')`);
    await expect
      .poll(() => db.rows(`SELECT "text_folded" FROM "Todo"`), { timeout: 60_000 })
      .toEqual([{ text_folded: 'strasse' }]);
    // The note may be an older migration's, of which it is told no more.
    await db.run(`UPDATE "JmapMeta" SET "value" = '1' WHERE "key" = 'follow:Todo'`);
    for (const id of ['r2', 'r3']) {
      await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text",
        "text_casemap")
        VALUES ('a', '${id}', 1, ${Date.now()}, 'Milk', '')`);
      await expect
        .poll(() => db.rows(`SELECT "text_folded" FROM "Todo" WHERE "id" = '${id}'`), {
          timeout: 60_000,
        })
        .toEqual([{ text_folded: 'milk' }]);
    }
    // A day after the newest migration no server of before is left, and nothing is followed.
    await db.run(`UPDATE "_prisma_migrations" SET "finished_at" = to_timestamp(1)`);
    await expect
      .poll(() => db.rows(`SELECT "key" FROM "JmapMeta" WHERE "key" = 'follow:Todo'`), {
        timeout: 60_000,
      })
      .toEqual([]);
  } finally {
    await rest.stop();
    await store.close();
    await pool.end();
  }
});

it('a server of before follows nobody once a newer version has migrated', async () => {
  const db = await open();
  const root = temporaryRoot();
  await advance(root, db, model([todo([], { folded: [] })]));
  await db.run(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('a', '', 'u', 1)`,
  );
  await advance(root, db, model([todo()]));
  const pool = openPool({ url: db.url, size: 2 });
  const store = createPostgresqlStore({
    conductor,
    pool: openPool({ url: db.url, size: 2, pipeline: true }),
    types: [todo()],
  });
  const seen: string[] = [];
  const database = openBackfill(pool);
  const counted = {
    ...database,
    newest: async () => {
      const newest = await database.newest();
      seen.push(newest.name);
      return newest;
    },
  };
  const rest = await start(
    { types: [todo()] },
    { store, database: counted, shared: true, pause: 20 },
  );
  try {
    const [text, done] = todo().properties.slice(3);
    if (text === undefined || done === undefined) throw new Error('no properties');
    const nullable = { ...done, nullable: true, default: null };
    const changed = type('Todo', [text, nullable], { folded: ['text'], casemapped: ['text'] });
    expect(await advance(root, db, model([changed]))).toHaveLength(1);
    // A round that is under way may not have seen the migration yet.
    await expect.poll(() => seen.at(-1), { timeout: 60_000 }).toBe('0003_todo');
    await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "text", "done",
      "text_casemap")
      VALUES ('a', 'r1', 1, ${Date.now()}, 'Milk', NULL, 'MILK')`);
    // Several rounds, if it still made any.
    await new Promise((resolve) => setTimeout(resolve, 200));
  } finally {
    await rest.stop();
    await store.close();
    await pool.end();
  }
  expect(await db.rows(`SELECT "done", "text_folded" FROM "Todo"`)).toEqual([
    { done: null, text_folded: '' },
  ]);
});

describe('PostgreSQL migrations of a project that goes on', () => {
  convertsObjects(open);
  evolves(open);
  finishes(open);
  followsWhileServing(open);
  indexesNestedBlobs(open);
  indexesNestedReferences(open);
  mendsConsequences(open);
  reformsValues(open);
});

it('the version before keeps the blobs of a dropped property beside one that stays', async () => {
  const db = await open();
  const root = temporaryRoot();
  const blob = (name: string) => property(name, 'string', { nullable: true, blobs: [[]] });
  await advance(root, db, model([type('Todo', [blob('fileId'), blob('photoId')])]));
  const put = async (id: string, file: string, photo: string): Promise<void> => {
    await db.run(`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "fileId", "photoId")
      VALUES ('a', '${id}', 1, ${Date.now()}, '${file}', '${photo}')`);
    for (const each of [file, photo]) {
      await db.run(`INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId",
        "created")
        VALUES ('a', '${each}', 'text/plain', 1, 'u', 1)`);
      await db.run(`INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
        VALUES ('a', '${each}', 'Todo', '${id}')`);
    }
  };
  await db.run(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('a', '', 'u', 1)`,
  );
  await put('r1', 'B1', 'B2');
  const after = [type('Todo', [blob('fileId')], { drops: ['photoId'] })];
  await advance(root, db, model(after));
  await put('r2', 'B3', 'B4');
  await db.start({ types: after });
  expect(await db.rows(`SELECT "blobId" FROM "JmapBlobReference" ORDER BY "blobId"`)).toEqual(
    ['B1', 'B2', 'B3', 'B4'].map((blobId) => ({ blobId })),
  );
  expect(
    await db.rows(`SELECT "id" FROM "JmapBlob" WHERE "unreferencedSince" IS NOT NULL`),
  ).toEqual([]);
});
