import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { type Duplicate, findDuplicates } from '../../src/database/duplicate-search.js';
import type { UniqueCheck } from '../../src/database/migrations.js';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { migrate as migrateSqlite, openDatabase } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { Duplicates } from '../../src/server/duplicates.js';
import { createLogging } from '../../src/server/logging.js';
import { model, property, type } from '../scripts/migrations/models.js';
import { generate, temporaryRoot } from '../scripts/migrations/project.js';
import { usePostgresql } from '../support/postgresql.js';

const CODE = property('code', 'string', { nullable: true });
const PLACE = property('place', 'integer', { default: 0 });
const CHECK: UniqueCheck = { table: 'Todo', type: 'Task', name: 'code', columns: ['code'] };

/** `[account, id, code, place]`: as the version before may have written them. */
const ROWS = [
  ['a', 'r1', 'x', 1],
  ['a', 'r2', 'x', 1],
  ['a', 'r3', 'y', 1],
  ['a', 'r4', null, 2],
  ['a', 'r5', null, 3],
  ['b', 'r6', 'x', 1],
  ...Array.from({ length: 12 }, (_, at) => ['b', `s${10 + at}`, 'z', at] as const),
] as const;

async function databaseOf(prisma: PrismaClient): Promise<PrismaClient> {
  for (const account of ['a', 'b'])
    await prisma.jmapAccount.create({
      data: { id: account, name: '', ownerId: 'u', created: 1n },
    });
  for (const [account, id, code, place] of ROWS)
    await prisma.$executeRaw`INSERT INTO "Todo" ("accountId", "id", "created", "updated", "code",
      "place") VALUES (${account}, ${id}, 1, 1, ${code}, ${place})`;
  return prisma;
}

async function found(prisma: PrismaClient, check: UniqueCheck): Promise<readonly Duplicate[]> {
  const all: Duplicate[] = [];
  for await (const some of findDuplicates(prisma, check)) all.push(...some);
  return all;
}

describe('objects with the same values', () => {
  const postgresql = usePostgresql();

  test.for(['sqlite', 'postgresql'])('are found in each account on %s', async (kind) => {
    const root = temporaryRoot();
    const todo = type('Todo', [CODE, PLACE], {
      uniques: [{ name: 'code', properties: [CODE], at: CODE.at }],
    });
    expect((await generate(root, model([todo]))).problems).toEqual([]);
    const folder = join(root, 'prisma', kind, 'migrations');
    const open = async () => {
      if (kind === 'postgresql') {
        const pool = openPool({ url: await postgresql().createDatabase('duplicates'), size: 1 });
        await migratePostgresql(pool, folder);
        return { prisma: openPrisma(pool), close: () => pool.end() };
      }
      const file = join(root, 'jmap.db');
      const db = openDatabase({ file });
      migrateSqlite(db, folder);
      db.close();
      return { prisma: openPrismaStandalone(file), close: async () => undefined };
    };
    const { prisma, close } = await open();
    try {
      await databaseOf(prisma);
      const many = Array.from({ length: 10 }, (_, at) => `s${10 + at}`);
      const task = { type: 'Task', property: 'code' };
      const equal = [
        { ...task, accountId: 'a', ids: ['r1', 'r2'], count: 2 },
        { ...task, accountId: 'b', ids: many, count: 12 },
      ];
      expect(await found(prisma, CHECK)).toEqual(equal);
      const nulls = { ...task, accountId: 'a', ids: ['r4', 'r5'], count: 2 };
      const [first, second] = equal;
      expect(await found(prisma, { ...CHECK, nullsEqual: true })).toEqual([first, nulls, second]);
      const both = { ...CHECK, name: 'code+place', columns: ['code', 'place'] };
      expect(await found(prisma, both)).toEqual([{ ...first, property: 'code+place' }]);
    } finally {
      await prisma.$disconnect();
      await close();
    }
  });
});

describe('the look for duplicates', () => {
  const DAY = 86_400_000;
  const todo = {
    ...{ name: 'Task', table: 'Todo' },
    uniques: [{ name: 'code', properties: [{ name: 'code', column: 'code' }] }],
  } as unknown as DataTypeDefinition;
  const twins = (...ids: string[]): Duplicate => ({
    ...{ type: 'Task', property: 'code', accountId: 'a' },
    ...{ ids, count: ids.length },
  });

  function begin(shared = true) {
    const lines: string[] = [];
    const state = {
      ...{ now: 10 * DAY, migrated: 0, looks: 0 },
      ...{ found: [] as Duplicate[], kept: [] as string[] },
    };
    const duplicates = new Duplicates({
      types: [todo],
      async *find(check) {
        expect(check).toEqual(CHECK);
        state.looks += 1;
        yield state.found;
      },
      kept: async () => state.kept.map((table) => ({ table })),
      shared,
      migrated: async () => state.migrated,
      now: () => state.now,
      log: createLogging('info', { write: (line: string) => void lines.push(line) }).log,
    });
    return { state, lines, duplicates, look: () => duplicates.look(() => false) };
  }

  test('logs each once, and again when it changes; counts what is there', async () => {
    const { state, lines, duplicates, look } = begin();
    state.found = [twins('r1', 'r2'), twins('r3', 'r4')];
    await look();
    await look();
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      ...{ type: 'Task', property: 'code', account: 'a', objects: ['r1', 'r2'], count: 2 },
      ...{ level: 40, msg: expect.stringContaining('which must be unique') },
    });
    expect([...duplicates.counts]).toEqual([['Task', 2]]);
    state.found = [twins('r1', 'r2', 'r5')];
    await look();
    expect(lines).toHaveLength(3);
    state.found = [];
    await look();
    expect([...duplicates.counts]).toEqual([['Task', 0]]);
  });

  test('counts texts that are not normalised; nobody else lets one in on SQLite', async () => {
    const { state, duplicates, look } = begin(false);
    state.kept = ['Todo', 'Todo'];
    await look();
    expect([...duplicates.counts]).toEqual([['Task', 2]]);
    expect(state.looks).toBe(0);
  });

  test('comes once a day, but at once while a migration is young or there are some', async () => {
    const { state, look } = begin();
    const looks = async () => {
      await look();
      return state.looks;
    };
    expect(await looks()).toBe(1);
    expect(await looks(), 'nothing can have come').toBe(1);
    state.now += DAY + 1;
    expect(await looks()).toBe(2);
    state.migrated = state.now - DAY / 2;
    expect(await looks()).toBe(3);
    state.migrated = 0;
    state.found = [twins('r1', 'r2')];
    state.now += DAY + 1;
    expect(await looks()).toBe(4);
    expect(await looks()).toBe(5);
  });
});
