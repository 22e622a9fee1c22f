import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate, OpenFiles, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import {
  openPrisma,
  openPrismaStandalone,
  type PrismaClient,
} from '../../src/database/sqlite/prisma.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { conductor } from '../support/conductor.js';
import { MIGRATIONS, temporaryFolder } from './folder.js';
import { otherProcess } from './other-process.js';

interface Opened {
  readonly prisma: PrismaClient;
  readonly writer: Writer;
  readonly db: Database;
  readonly file: string;
}

function open(): Opened {
  const file = join(temporaryFolder(), 'jmap.db');
  const db = openDatabase({ file });
  migrate(db, MIGRATIONS);
  const writer = new Writer(db, conductor, { files: new OpenFiles(file) });
  const prisma = openPrisma(db, writer);
  onTestFinished(async () => {
    await prisma.$disconnect();
    db.close();
  });
  return { prisma, writer, db, file };
}

const meta = (key: string, value = 'v') => ({ data: { key, value } });
const keysOf = (db: Database) =>
  db.prepare<[], string>('SELECT "key" FROM "JmapMeta" ORDER BY "key"').pluck().all();
const engineWrite = (writer: Writer, key: string) =>
  writer.writeInGroup(
    async (db) => {
      await Promise.resolve();
      db.prepare('INSERT INTO "JmapMeta" VALUES (?, ?)').run(key, 'engine');
    },
    { deadline: performance.now() + 20_000 },
  );

describe('Prisma on the writing connection', () => {
  it('keeps every type that the schema uses', async () => {
    const { prisma } = open();
    const user = { id: 'u1', name: 'Zoë 😀', created: 2n ** 53n + 1n };
    await prisma.jmapUser.create({ data: user });
    expect(await prisma.jmapUser.findUnique({ where: { name: 'Zoë 😀' } })).toMatchObject(user);
    const account = { id: 'a1', name: '', ownerId: 'u1', capabilities: ['urn:x'], created: 1n };
    await prisma.jmapAccount.create({ data: account });
    expect(await prisma.jmapAccount.findMany()).toEqual([account]);
    const secretHash = Uint8Array.from([0, 255, 7]);
    const token = { id: 't1', secretHash, userId: 'u1', readOnly: true, scoped: false };
    await prisma.jmapToken.create({ data: { ...token, created: 5n } });
    expect(await prisma.jmapToken.findFirst()).toMatchObject({
      ...token,
      expires: null,
      created: 5n,
    });
    expect(await prisma.jmapToken.deleteMany({ where: { readOnly: true } })).toEqual({ count: 1 });
  });

  it('answers a raw query with the types of columns and of expressions', async () => {
    const { prisma } = open();
    const account = { id: 'a1', name: '', ownerId: 'u1', capabilities: { a: [1] }, created: 7n };
    await prisma.jmapAccount.create({ data: account });
    const select = `SELECT a.*, count(*) AS count, 9007199254740993 AS large, 0.5 AS half,
      x'00ff' AS octets, NULL AS empty, max("created") AS latest FROM "JmapAccount" AS a`;
    expect(await prisma.$queryRawUnsafe(select)).toEqual([
      {
        ...account,
        ...{ count: 1n, large: 9007199254740993n, half: 0.5, octets: Uint8Array.from([0, 255]) },
        ...{ empty: null, latest: 7n },
      },
    ]);
    const migrations = `SELECT "finished_at" FROM "_prisma_migrations" LIMIT 1`;
    expect(await prisma.$queryRawUnsafe(migrations)).toEqual([{ finished_at: expect.any(Date) }]);
  });

  it('takes raw parameters of every type', async () => {
    const { prisma } = open();
    const values = [true, 2n ** 53n + 1n, 0.5, 'x', Uint8Array.from([0, 255]), null, new Date(0)];
    const columns = values.map((_, index) => `? AS c${index}`).join(', ');
    const [row] = await prisma.$queryRawUnsafe<object[]>(`SELECT ${columns}`, ...values);
    expect(Object.values(row ?? {})).toEqual([
      // A time is milliseconds, as columns hold it.
      ...[1, 2n ** 53n + 1n, 0.5, 'x', Uint8Array.from([0, 255]), null, 0n],
    ]);
  });

  it("gives Prisma's codes to SQLite's errors, with the place", async () => {
    const { prisma } = open();
    const user = { id: 'u1', name: 'Zoë', created: 1n };
    await prisma.jmapUser.create({ data: user });
    const again = prisma.jmapUser.create({ data: { ...user, id: 'u2' } });
    await expect(again).rejects.toMatchObject({ code: 'P2002' });
    await expect(again).rejects.toThrow('`name`');
    const raw = (sql: string) => prisma.$executeRawUnsafe(sql);
    for (const [sql, message] of [
      [
        `INSERT INTO "JmapUser" ("id", "name", "created") VALUES ('u3', NULL, 1)`,
        'NOT NULL constraint failed: JmapUser.name',
      ],
      ['SELECT * FROM "Nowhere"', 'no such table: Nowhere'],
      ['SELECT "nowhere"."x" FROM "JmapUser"', 'no such column: nowhere.x'],
      ['INSERT INTO "JmapUser" ("x") VALUES (1)', 'has no column named x'],
      ['SELEC', 'syntax error'],
    ] as const)
      await expect(raw(sql)).rejects.toThrow(message);
  });

  it('neither deadlocks with engine writes nor loses one', async () => {
    const { prisma, writer, db } = open();
    const works: Promise<unknown>[] = [];
    for (let index = 0; index < 50; index += 1) {
      works.push(engineWrite(writer, `e${index}`));
      works.push(prisma.jmapMeta.create(meta(`p${index}`)));
      if (index % 10 === 0) {
        works.push(
          prisma.$transaction(async (transaction) => {
            await transaction.jmapMeta.create(meta(`t${index}`));
            await new Promise((resolve) => setTimeout(resolve, 5));
            await transaction.jmapMeta.create(meta(`u${index}`));
          }),
        );
      }
    }
    await Promise.all(works);
    expect(keysOf(db)).toHaveLength(110);
  });

  it('sees committed data alone while a transaction is open', async () => {
    const { prisma, writer } = open();
    await writer.exclusive(async (db) => {
      db.exec(`BEGIN; INSERT INTO "JmapMeta" VALUES ('open', '')`);
      expect(await prisma.jmapMeta.count()).toBe(0);
      expect(await prisma.$queryRaw`SELECT "key" FROM "JmapMeta"`).toEqual([]);
      db.exec('COMMIT');
    });
    expect(await prisma.jmapMeta.count()).toBe(1);
  });

  it('reads its own writes', async () => {
    const { prisma, writer } = open();
    await prisma.jmapMeta.create(meta('a'));
    expect(await prisma.jmapMeta.count()).toBe(1);
    await engineWrite(writer, 'b');
    expect(await prisma.jmapMeta.findMany({ orderBy: { key: 'asc' } })).toMatchObject([
      { key: 'a', value: 'v' },
      { key: 'b', value: 'engine' },
    ]);
  });

  it('rolls back a transaction that throws, and sees its own rows in it', async () => {
    const { prisma, db } = open();
    const failing = prisma.$transaction(async (transaction) => {
      await transaction.jmapMeta.create(meta('a'));
      expect(await transaction.jmapMeta.count()).toBe(1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(db.inTransaction).toBe(false);
    expect(keysOf(db)).toEqual([]);
  });

  it('undoes a batch whose last part fails', async () => {
    const { prisma, db } = open();
    const batch = prisma.$transaction([
      prisma.jmapMeta.create(meta('a')),
      prisma.jmapMeta.create(meta('a')),
    ]);
    await expect(batch).rejects.toMatchObject({ code: 'P2002' });
    expect(keysOf(db)).toEqual([]);
    await prisma.jmapMeta.create(meta('b'));
    expect(keysOf(db)).toEqual(['b']);
  });

  it('gives the lock back after a transaction that takes too long', async () => {
    const { prisma, writer, db } = open();
    const slow = prisma.$transaction(
      async (transaction) => {
        await transaction.jmapMeta.create(meta('slow'));
        await new Promise((resolve) => setTimeout(resolve, 200));
        await transaction.jmapMeta.create(meta('slower'));
      },
      { timeout: 50 },
    );
    const waiting = engineWrite(writer, 'e');
    await expect(slow).rejects.toMatchObject({ code: 'P2028' });
    await waiting;
    expect(keysOf(db)).toEqual(['e']);
  });

  it('is unavailable where the disk is full, in and out of a transaction', async () => {
    const { prisma, db } = open();
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const large = meta('large', 'x'.repeat(1_000_000));
    await expect(prisma.jmapMeta.create(large)).rejects.toBeInstanceOf(UnavailableError);
    const swallowed = prisma.$transaction(async (transaction) => {
      await transaction.jmapMeta.create(meta('a'));
      const fill = `INSERT INTO "JmapMeta" VALUES ('full', zeroblob(1000000))`;
      await transaction.$executeRawUnsafe(fill).catch(() => 'full');
      // The database has rolled back: this must not commit by itself.
      await transaction.jmapMeta.create(meta('b'));
    });
    await expect(swallowed).rejects.toBeInstanceOf(UnavailableError);
    expect(db.inTransaction).toBe(false);
    expect(keysOf(db)).toEqual([]);
    db.pragma('max_page_count = 1000000');
    await prisma.jmapMeta.create(meta('c'));
    expect(keysOf(db)).toEqual(['c']);
  });

  it('commits nothing while the file is not the one that was opened', async () => {
    const { prisma, db, file } = open();
    await prisma.jmapMeta.create(meta('a'));
    renameSync(file, `${file}.away`);
    const refused: UnavailableError[] = [];
    const note = (error: UnavailableError): void => void refused.push(error);
    await prisma.jmapMeta.create(meta('alone')).catch(note);
    await prisma
      .$transaction(async (tx) => void (await tx.jmapMeta.create(meta('in'))))
      .catch(note);
    const text = 'The database was removed or replaced.';
    expect(refused.map((error) => [error.constructor, error.message])).toEqual([
      [UnavailableError, text],
      [UnavailableError, text],
    ]);
    expect([db.inTransaction, keysOf(db)]).toEqual([false, ['a']]);
    renameSync(`${file}.away`, file);
    await prisma.jmapMeta.create(meta('back'));
    expect(keysOf(db)).toEqual(['a', 'back']);
  });

  it('waits for another process that writes', async () => {
    const { prisma, db, file } = open();
    const command = await otherProcess(file, 'BEGIN IMMEDIATE');
    const writing = prisma.jmapMeta.create(meta('a'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await command.exec(`INSERT INTO "JmapMeta" VALUES ('other', ''); COMMIT`);
    await writing;
    expect(keysOf(db)).toEqual(['a', 'other']);
  });
});

describe('Prisma standalone', () => {
  it('writes beside a server that writes', async () => {
    const { writer, db, file } = open();
    const command = openPrismaStandalone(file);
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => command.jmapMeta.create(meta(`c${index}`))),
      ...Array.from({ length: 20 }, (_, index) => engineWrite(writer, `e${index}`)),
    ]);
    await command.$disconnect();
    expect(keysOf(db)).toHaveLength(40);
  });
});
