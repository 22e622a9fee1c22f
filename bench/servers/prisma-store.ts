import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Prisma, PrismaClient } from '../../build/prisma/sqlite/client.js';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { createAdapter } from './prisma-adapter.js';
import { remembered } from './remembered.js';
import { fold, type ListQuery, newId, type Store, type Todo } from './todos.js';

const CREATED = 0;
const UPDATED = 1;
const DESTROYED = 2;
/** The answer of SQLite for `synchronous = FULL`. */
const FULL = 2;
const WANTED = { id: true, text: true, done: true, created: true, updated: true };

interface Row {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
  readonly created: Date;
  readonly updated: Date;
}

function toTodo({ id, text, done, created, updated }: Row): Todo {
  return { id, text, done, created: created.toISOString(), updated: updated.toISOString() };
}

/** The tables of the project's own schema for SQLite, so that the objects are the very same. */
function prepare(file: string, hash: string, accounts: readonly string[]): void {
  const db = new SqliteDatabase(file);
  db.pragma('journal_mode = WAL');
  const folder = join(import.meta.dirname, '../../prisma/sqlite/migrations');
  for (const name of readdirSync(folder).sort())
    if (/^\d/.test(name)) db.exec(readFileSync(join(folder, name, 'migration.sql'), 'utf8'));
  db.prepare(
    `INSERT INTO "JmapToken" ("id", "secretHash", "userId", "readOnly", "scoped", "created")
      VALUES (?, x'00', 'bench', 0, 0, 0)`,
  ).run(hash);
  for (const account of accounts)
    db.prepare(
      `INSERT INTO "JmapAccess" ("accountId", "userId", "readOnly") VALUES (?, 'bench', 0)`,
    ).run(account);
  db.close();
}

export async function openStore(
  file: string,
  hash: string,
  accounts: readonly string[],
): Promise<Store> {
  prepare(file, hash, accounts);
  const prisma = new PrismaClient({
    adapter: createAdapter(file),
    transactionOptions: { maxWait: 30_000, timeout: 30_000 },
  });
  // Its driver's default for a database with a write-ahead log is no fsync at a commit. It has one
  // connection, so this holds; the caches are as large as by hand without Prisma.
  for (const pragma of ['synchronous = FULL', 'cache_size = -32768', 'temp_store = MEMORY'])
    await prisma.$executeRawUnsafe(`PRAGMA ${pragma}`);
  const [set] = await prisma.$queryRaw<{ synchronous: bigint }[]>`PRAGMA synchronous`;
  if (Number(set?.synchronous) !== FULL) throw new Error('A commit would not be on disk.');
  const count = async (
    transaction: Prisma.TransactionClient,
    accountId: string,
    by: number,
  ): Promise<number> => {
    const { number } = await transaction.jmapState.upsert({
      where: { accountId_type: { accountId, type: 'Todo' } },
      create: { accountId, type: 'Todo', number: by },
      update: { number: { increment: by } },
      select: { number: true },
    });
    return Number(number);
  };
  const state = async (accountId: string): Promise<string> => {
    const row = await prisma.jmapState.findUnique({
      where: { accountId_type: { accountId, type: 'Todo' } },
      select: { number: true },
    });
    return String(row?.number ?? 0);
  };
  const getMany = async (accountId: string, ids: readonly string[]): Promise<Todo[]> =>
    (
      await prisma.todo.findMany({ where: { accountId, id: { in: [...ids] } }, select: WANTED })
    ).map(toTodo);
  const net = async (accountId: string, since: number, limit: number) => {
    const records = await prisma.jmapChange.findMany({
      where: { accountId, type: 'Todo', number: { gt: since } },
      orderBy: { number: 'asc' },
      take: limit,
      select: { number: true, objectId: true, kind: true },
    });
    const kinds = new Map<string, number>();
    for (const { objectId, kind } of records)
      if (!(kind === UPDATED && kinds.get(objectId) === CREATED)) kinds.set(objectId, kind);
    return { kinds, reached: Number(records.at(-1)?.number ?? since) };
  };

  return {
    access: remembered(async (tokenHash, accountId) => {
      const token = await prisma.jmapToken.findUnique({ where: { id: tokenHash } });
      if (token === null || (token.expires !== null && token.expires <= Date.now())) return null;
      return prisma.jmapAccess.findUnique({
        where: { accountId_userId: { accountId, userId: token.userId } },
        select: { readOnly: true },
      });
    }),

    create: (accountId, wanted) =>
      prisma.$transaction(async (transaction) => {
        const now = Date.now();
        const time = new Date(now);
        const rows = wanted.map(({ text, done = false }) => {
          const [id, folded] = [newId(now), fold(text)];
          const shadows = { text_folded: folded, text_casemap: folded };
          return { accountId, id, text, done, ...shadows, created: time, updated: time };
        });
        const last = await count(transaction, accountId, rows.length);
        const first = last - rows.length + 1;
        const changes = rows.map(({ id }, n) => ({
          ...{ accountId, type: 'Todo', number: first + n, objectId: id, kind: CREATED, at: now },
        }));
        const [row, change] = [rows[0], changes[0]];
        if (rows.length === 1 && row !== undefined && change !== undefined) {
          await transaction.todo.create({ data: row, select: { id: true } });
          await transaction.jmapChange.create({ data: change, select: { number: true } });
        } else {
          await transaction.todo.createMany({ data: rows });
          await transaction.jmapChange.createMany({ data: changes });
        }
        return { state: String(last), todos: rows.map(toTodo) };
      }),

    update: (accountId, id, { text, done }) =>
      prisma.$transaction(async (transaction) => {
        const now = Date.now();
        const folded = text === undefined ? undefined : fold(text);
        const [row] = await transaction.todo.updateManyAndReturn({
          where: { accountId, id },
          data: {
            updated: new Date(now),
            ...(text === undefined ? {} : { text }),
            ...(folded === undefined ? {} : { text_folded: folded, text_casemap: folded }),
            ...(done === undefined ? {} : { done }),
          },
          select: WANTED,
        });
        if (row === undefined) return null;
        const number = await count(transaction, accountId, 1);
        await transaction.jmapChange.create({
          data: { accountId, type: 'Todo', number, objectId: id, kind: UPDATED, at: now },
          select: { number: true },
        });
        return { state: String(number), todo: toTodo(row) };
      }),

    async get(accountId, id) {
      const row = await prisma.todo.findUnique({
        where: { accountId_id: { accountId, id } },
        select: WANTED,
      });
      return row === null ? null : toTodo(row);
    },

    async getMany(accountId, ids) {
      return { state: await state(accountId), todos: await getMany(accountId, ids) };
    },

    async list(accountId, { text, done, sort, limit = 100 }) {
      // The state comes first: what changes meanwhile is seen again, and nothing is missed.
      const known = await state(accountId);
      const rows = await prisma.todo.findMany({
        where: {
          accountId,
          ...(done === undefined ? {} : { done }),
          ...(text === undefined ? {} : { text_folded: { contains: fold(text) } }),
        },
        orderBy:
          sort === 'text'
            ? [{ text_folded: 'asc' }, { id: 'asc' }]
            : { id: sort === '-created' ? 'desc' : 'asc' },
        take: limit,
        select: WANTED,
      });
      return { state: known, todos: rows.map(toTodo) };
    },

    async changes(accountId, since, limit) {
      const current = Number(await state(accountId));
      const { kinds, reached } = await net(accountId, since, limit);
      const live: string[] = [];
      const destroyed: string[] = [];
      for (const [id, kind] of kinds) (kind === DESTROYED ? destroyed : live).push(id);
      const todos = await getMany(accountId, live);
      return { state: String(reached), hasMore: reached < current, todos, destroyed };
    },

    async queryChanges(accountId, since, { text, done, sort }: ListQuery) {
      const known = await state(accountId);
      const { kinds } = await net(accountId, since, 10_000);
      const ids = [...kinds.keys()];
      const folded = text === undefined ? null : fold(text);
      const where = Prisma.sql`"accountId" = ${accountId}
        ${done === undefined ? Prisma.empty : Prisma.sql`AND done = ${done}`}
        ${folded === null ? Prisma.empty : Prisma.sql`AND instr(text_folded, ${folded}) > 0`}`;
      const order = Prisma.raw(
        sort === 'text' ? 'text_folded, id' : sort === '-created' ? 'id DESC' : 'id',
      );
      const rows = await prisma.$queryRaw<{ id: string; n: bigint }[]>`
        SELECT id, n FROM (
          SELECT id, row_number() OVER (ORDER BY ${order}) - 1 AS n FROM "Todo" WHERE ${where}
        ) WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) ORDER BY n`;
      return {
        state: known,
        removed: ids.filter((id) => kinds.get(id) !== CREATED),
        added: rows.map(({ id, n }) => ({ id, index: Number(n) })),
      };
    },

    close: () => prisma.$disconnect(),
  };
}
