import fc from 'fast-check';
import { expect } from 'vitest';
import { isKeyOrdered } from '../../../scripts/generator/emit/key-ordered.js';
import { dataTable } from '../../../scripts/generator/emit/prisma-data-tables.js';
import { indexName } from '../../../scripts/generator/emit/prisma-names.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { closeAll } from './databases.js';
import { begin, type Drawn, modelOf, next, type Operation } from './drawn.js';
import type { Evolving } from './evolving.js';
import { columnsOf, Fleet, type Release } from './fleet.js';
import { generate, placedAt, temporaryRoot } from './project.js';

interface Step {
  readonly operations: readonly Operation[];
  readonly contract: boolean;
}

const OPERATION = fc.record({
  what: fc.nat(18),
  type: fc.nat(3),
  property: fc.nat(5),
  name: fc.nat(5),
});

const STEPS = fc.array(
  fc.record({
    operations: fc.array(OPERATION, { minLength: 1, maxLength: 4 }),
    contract: fc.boolean(),
  }),
  { minLength: 2, maxLength: 6 },
);

/** As many sequences of releases as `numRuns`; it ends after 8 minutes at the latest. */
export function keepsReleases(open: () => Promise<Evolving>, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      try {
        await releases(await open(), steps);
      } finally {
        await closeAll();
      }
    }),
    { numRuns, interruptAfterTimeLimit: 480_000 },
  );
}

/** Releases one after the other, with servers of two versions where the database is shared. */
async function releases(db: Evolving, steps: readonly Step[]): Promise<void> {
  const root = temporaryRoot();
  const fleet = new Fleet(db);
  let release = await advance(db, root, begin(), undefined);
  await db.run(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ('a', '', 'u', 1)`,
  );
  await db.run(`INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId", "created")
    VALUES ('a', 'blob', 'text/plain', 1, 'u', 1)`);
  fleet.knows(release);
  for (const { operations, contract } of steps) {
    await fleet.write(release);
    const records = fleet.records(release);
    const drawn = next(release.drawn, operations);
    const before = release;
    release = await advance(db, root, drawn, before.drawn);
    fleet.migrated(before, release);
    fleet.knows(before);
    fleet.knows(release);
    await fleet.check(release);
    if (db.isShared) {
      await fleet.has(records);
      await fleet.serves(before, release);
      await fleet.serves(release, release);
      await fleet.write(before, release);
      await fleet.write(release);
      await fleet.serves(before, release);
      await fleet.follow(release);
      await fleet.check(release);
    } else await fleet.write(release);
    if (contract || !db.isShared) {
      await generateFor(root, modelOf(drawn, drawn), true);
      await db.migrate(root);
      await fleet.check(release);
      await fleet.hasNoOthers(release);
      await isExactly(db, release.placed);
    }
  }
}

async function advance(
  db: Evolving,
  root: string,
  drawn: Drawn,
  before: Drawn | undefined,
): Promise<Release> {
  const model = modelOf(drawn, before);
  const placed = placedAt(root, model);
  await generateFor(root, model, false);
  const applied = await db.migrate(root);
  return { drawn, placed, isMigrated: applied.length > 0 };
}

async function generateFor(root: string, model: Model, contract: boolean): Promise<void> {
  const plan = await generate(root, model, contract);
  expect(plan.problems).toEqual([]);
}

/** Tables and indexes are those of the model, with nothing left and nothing missing. */
async function isExactly(db: Evolving, model: Model): Promise<void> {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const columns = db.isShared
    ? `SELECT "table_name" AS "table", "column_name" AS "column", "is_nullable" = 'YES' AS
      "nullable"
       FROM "information_schema"."columns" WHERE "table_schema" = 'public'`
    : `SELECT "t"."name" AS "table", "c"."name" AS "column", NOT "c"."notnull" AS "nullable"
       FROM sqlite_master AS "t", pragma_table_info("t"."name") AS "c" WHERE "t"."type" = 'table'`;
  const found = (await db.rows(columns))
    .filter(({ table }) => !/^(?:Jmap|_prisma|sqlite_)|_search/.test(String(table)))
    .map(({ table, column, nullable }) => `${table}.${column}${nullable ? '?' : ''}`);
  const wanted = types.flatMap((type) => {
    const all = [...type.properties, ...type.shadows.map(({ property }) => property)];
    const nullable = [false, ...all.map((property) => property.nullable)];
    return columnsOf(type).map(
      (column, index) => `${type.table}.${column}${nullable[index] ? '?' : ''}`,
    );
  });
  expect(found.sort()).toEqual(wanted.sort());
  if (!db.isShared) await isWhole(db, types);
  const indexes = db.isShared
    ? `SELECT "indexname" AS "name" FROM pg_indexes WHERE "schemaname" = 'public'
      AND "tablename" !~ '^(Jmap|_)'`
    : `SELECT "name" FROM sqlite_master WHERE "type" = 'index' AND "tbl_name" NOT LIKE 'Jmap%'`;
  const names = (await db.rows(indexes)).map(({ name }) => String(name));
  const own = types.flatMap((type) => [
    ...dataTable(type).indexes.map(
      (list) => indexName(type.table, list) ?? `${type.table}_${list.join('_')}_idx`,
    ),
    ...(db.isShared && type.search !== undefined ? [type.search.name] : []),
  ]);
  expect(names.filter((name) => !/_pkey$|^sqlite_|_search_/.test(name)).sort()).toEqual(own.sort());
}

/** Each table has the shape that it was made with, and what is in it is sound. */
async function isWhole(db: Evolving, types: readonly ModelType[]): Promise<void> {
  expect(await db.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const shapes = await db.rows(
    `SELECT "name", "wr" FROM pragma_table_list WHERE "schema" = 'main' AND "type" = 'table'`,
  );
  const made = new Map(shapes.map(({ name, wr }) => [name, wr === 1]));
  for (const type of types) expect(made.get(type.table), type.table).toBe(isKeyOrdered(type));
}
