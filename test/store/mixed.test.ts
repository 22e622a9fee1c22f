import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import { todoType } from '../../generated/todos/Todo.definition.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Storage, StorageOptions } from '../../src/storage.js';
import { openPostgresqlStorage } from '../../src/storage-postgresql.js';
import { openSqliteStorage } from '../../src/storage-sqlite.js';
import type { Snapshot, StoredObject, Transaction } from '../../src/store/port.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random } from '../support/random.js';
import { ROOT } from '../support/server.js';

/**
 * All that writes to one database at once, as a server has it: sets, sets with hooks that wait and read
 * through Prisma, Prisma's own writes and transactions, readers.
 */

const OPERATIONS = 210;
const ACCOUNTS = ['aone', 'atwo'];
const HUGE = 1e12;
const MINE = new Error('undone on purpose');

async function open(make: (options: StorageOptions) => Promise<Storage>): Promise<Storage> {
  const opened: StorageOptions['opened'] = [];
  onTestFinished(async () => {
    for (const close of opened.reverse()) await close();
  });
  return make({
    root: ROOT,
    types: [todoType],
    log: pino({ level: 'silent' }),
    opened,
    hookClient: (database) =>
      database === 'sqlite'
        ? import('../../build/prisma/sqlite/client.js')
        : import('../../build/prisma/postgresql/client.js'),
  });
}

async function mix({ store, prisma, hooks }: Storage, random: Random): Promise<void> {
  const reader = hooks.client as PrismaClient;
  const soon = (wait = 60_000) => ({ deadline: performance.now() + wait });
  const [account] = [{ name: '', ownerId: 'u', created: 1n }];
  for (const id of ACCOUNTS) await prisma.jmapAccount.create({ data: { ...account, id } });
  await prisma.jmapMeta.create({ data: { key: 'mixed', value: '0' } });
  const todo = (text: string): StoredObject => {
    const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
    return { id: 'r1', ...dates, text, done: false };
  };
  const current = async (snapshot: Snapshot): Promise<number> => {
    const [object] = await snapshot.get(todoType, ['r1'], todoType.properties, HUGE);
    return Number(object?.['text']);
  };
  /** One more, in the object and in the state: what another did meanwhile would be lost. */
  const increment = async (transaction: Transaction): Promise<number> => {
    const next = (await current(transaction)) + 1;
    await transaction.update(todoType, [todo(String(next))]);
    await transaction.record(todoType, [{ objectId: 'r1', kind: 'updated' }]);
    return next;
  };
  const expected = new Map<string, number>();
  for (const id of ACCOUNTS) {
    expected.set(id, 0);
    await store.write(id, soon(), (transaction) => transaction.insert(todoType, [todo('0')]));
  }
  let meta = 0;
  const done = (id: string): void => void expected.set(id, (expected.get(id) ?? 0) + 1);

  const operations: readonly ((id: string) => Promise<void>)[] = [
    async (id) => {
      await store.write(id, soon(), increment);
      done(id);
    },
    async (id) => {
      await store.write(id, { ...soon(), exclusive: true }, async (transaction) => {
        const next = await increment(transaction);
        await sleep(random.integer(0, 3));
        const seen = await hooks.join(() => reader.todo.findFirst({ where: { accountId: id } }));
        expect(seen?.text).toBe(String(next));
        const [value, count] = await Promise.all([
          current(transaction),
          transaction.count(todoType, { kind: 'all' }),
          hooks.join(() => reader.todo.count()),
          hooks.join(() => reader.todo.findMany()),
        ]);
        expect([value, count]).toEqual([next, 1]);
      });
      done(id);
    },
    async (id) => {
      const options = { ...soon(), exclusive: random.chance(0.5) };
      const undone = store.write(id, options, async (transaction) => {
        await increment(transaction);
        throw MINE;
      });
      await expect(undone).rejects.toBe(MINE);
    },
    async (id) => {
      const late = store.write(id, { ...soon(30), exclusive: true }, async (transaction) => {
        await increment(transaction);
        await sleep(50);
      });
      await expect(late).rejects.toBeInstanceOf(UnavailableError);
    },
    async () => {
      await prisma.$executeRaw`UPDATE "JmapMeta"
        SET "value" = CAST(CAST("value" AS INTEGER) + 1 AS TEXT) WHERE "key" = 'mixed'`;
      meta += 1;
    },
    async () => {
      await prisma.$transaction(
        async (transaction) => {
          await transaction.$executeRaw`UPDATE "JmapMeta"
            SET "value" = CAST(CAST("value" AS INTEGER) + 1 AS TEXT) WHERE "key" = 'mixed'`;
          await sleep(1);
          await transaction.jmapMeta.findUnique({ where: { key: 'mixed' } });
        },
        { maxWait: 20_000, timeout: 20_000 },
      );
      meta += 1;
    },
    async (id) => {
      const read = async (snapshot: Snapshot) => {
        const value = await current(snapshot);
        expect(await snapshot.stateNumber(todoType)).toBe(value);
      };
      await store.read(id, { ...soon(), exclusive: random.chance(0.3) }, read);
      await reader.todo.findFirst({ where: { accountId: id } });
    },
  ];

  // In bursts, so that there is always something that waits, and less than the deadlines allow.
  for (let count = 0; count < OPERATIONS; count += 30) {
    await Promise.all(
      Array.from({ length: 30 }, () => random.pick(operations)(random.pick(ACCOUNTS))),
    );
  }
  for (const [id, count] of expected) {
    const left = await store.read(id, soon(), async (snapshot) => [
      await current(snapshot),
      await snapshot.stateNumber(todoType),
      (await snapshot.changes(todoType, 0, 1000)).length,
    ]);
    expect(left, `seed ${random.seed}`).toEqual([count, count, count]);
  }
  await expect(reader.todo.deleteMany()).rejects.toThrow();
  const { value } = await prisma.jmapMeta.findUniqueOrThrow({ where: { key: 'mixed' } });
  expect(Number(value)).toBe(meta);
}

describe('all that writes at once loses no update and ends', () => {
  const server = usePostgresql();

  it('on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mixed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const storage = await open((options) => openSqliteStorage(join(folder, 'jmap.db'), options));
    await mix(storage, Random.fromEnvironment());
  }, 60_000);

  it('on PostgreSQL', async () => {
    const url = await server().createDatabase('mixed');
    // The driver deprecates that statements wait within it.
    const warnings: string[] = [];
    const warned = ({ stack = '' }: Error): void => void warnings.push(stack);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const storage = await open((options) => openPostgresqlStorage(url, options));
    await mix(storage, Random.fromEnvironment());
    expect(warnings).toEqual([]);
  }, 60_000);
});
