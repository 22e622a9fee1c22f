import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PrismaClient as ProjectClient } from '../../build/prisma/sqlite/client.js';
import { todoType } from '../../generated/todos/Todo.definition.js';
import { createTickets, renameAccount } from '../../src/accounts/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Storage } from '../../src/server/storage.js';
import type { Snapshot, StoredObject, Transaction } from '../../src/store/port.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { within } from '../support/poll.js';
import type { Random } from '../support/random.js';
import { addAccounts, todo } from './storages.js';

/**
 * All that writes to one database at once, as a server has it: sets, sets with hooks that wait and
 * read through Prisma. Also Prisma's own writes and transactions, accounts, tickets, readers.
 * Counters that are read, raised and written back by the store and by Prisma, in the same rows:
 * what another did meanwhile would be lost.
 */

const ACCOUNTS = ['aone', 'atwo'];
const BURST = 30;
const DEADLINE = 60_000;
const HUGE = 1e12;
const MINE = new Error('undone on purpose');
const PATIENT = { maxWait: 20_000, timeout: 20_000 };

export interface MixOptions {
  readonly engine: 'sqlite' | 'postgresql';
  readonly random: Random;
  /** Asked between bursts. */
  readonly goesOn: (operations: number) => boolean;
}

type Client = Storage['prisma'];
type Joined = Parameters<Parameters<Client['$transaction']>[0]>[0];

/** Resolves to how often each counter was raised. */
export async function mix(storage: Storage, options: MixOptions): Promise<object> {
  const { engine, random } = options;
  const { store, prisma, hooks } = storage;
  const reader = hooks.client as ProjectClient;
  const soon = (wait = DEADLINE) => ({ deadline: performance.now() + wait });
  await addAccounts(storage, ACCOUNTS);
  await prisma.jmapMeta.create({ data: { key: 'mixed', value: '0' } });
  const read = async (snapshot: Snapshot): Promise<StoredObject> => {
    const [object] = await snapshot.get(todoType, ['r1'], todoType.properties, HUGE);
    if (object === undefined) throw new Error('It was there.');
    return object;
  };
  const current = async (snapshot: Snapshot): Promise<number> =>
    Number((await read(snapshot))['text']);
  /** One more, in the object and in the state. */
  const increment = async (transaction: Transaction): Promise<number> => {
    const object = await read(transaction);
    const next = Number(object['text']) + 1;
    await transaction.writeRows('update', todoType, [{ ...object, text: String(next) }]);
    await transaction.record(todoType, [{ objectId: 'r1', kind: 'updated' }]);
    return next;
  };
  /**
   * How often the store has raised an account's counter, Prisma has, and Prisma the account's own
   * row.
   */
  const raised = new Map(ACCOUNTS.map((id) => [id, { store: 0, prisma: 0, row: 0 }]));
  const done = (id: string, by: 'store' | 'prisma' | 'row'): void => {
    const counts = raised.get(id);
    if (counts !== undefined) counts[by] += 1;
  };
  for (const id of ACCOUNTS)
    await store.write(id, soon(), (transaction) =>
      transaction.writeRows('insert', todoType, [todo('r1', '0')]),
    );
  let meta = 0;
  const raiseMeta = (client: Client | Joined) => client.$executeRaw`UPDATE "JmapMeta"
    SET "value" = CAST(CAST("value" AS INTEGER) + 1 AS TEXT) WHERE "key" = 'mixed'`;
  const tickets = createTickets(prisma);

  const operations: readonly ((id: string) => Promise<void>)[] = [
    async (id) => {
      await store.write(id, soon(), increment);
      done(id, 'store');
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
      done(id, 'store');
    },
    // A hook's client refuses to write (docs/reference/hooks.md), and the call that tried is undone
    // or goes on as a whole.
    async (id) => {
      const call = store.write(id, { ...soon(), exclusive: true }, async (transaction) => {
        await increment(transaction);
        const update = { where: { accountId: id }, data: { text: '0' } };
        await expect(hooks.join(() => reader.todo.updateMany(update))).rejects.toThrow();
      });
      await call.then(
        () => done(id, 'store'),
        () => undefined,
      );
    },
    async (id) => {
      const how = { ...soon(), exclusive: random.chance(0.5) };
      const undone = store.write(id, how, async (transaction) => {
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
    // The same counter by Prisma: with the account's row taken first, as every write of the store
    // does.
    async (id) => {
      await prisma.$transaction(async (transaction) => {
        if (engine === 'postgresql')
          await transaction.$queryRaw`SELECT "id" FROM "JmapAccount" WHERE "id" = ${id} FOR UPDATE`;
        const [row] = await transaction.$queryRaw<{ text: string }[]>`
          SELECT "text" FROM "Todo" WHERE "accountId" = ${id} AND "id" = 'r1'`;
        await sleep(random.integer(0, 2));
        const next = String(Number(row?.text) + 1);
        await transaction.$executeRaw`
          UPDATE "Todo" SET "text" = ${next} WHERE "accountId" = ${id} AND "id" = 'r1'`;
      }, PATIENT);
      done(id, 'prisma');
    },
    // The row that the store locks, by one statement of Prisma's.
    async (id) => {
      await prisma.jmapAccount.update({ where: { id }, data: { created: { increment: 1 } } });
      done(id, 'row');
    },
    async (id) => {
      await raiseMeta(prisma);
      meta += 1;
      await renameAccount(prisma, id, `Renamed ${meta}`);
    },
    async () => {
      await prisma.$transaction(async (transaction) => {
        await raiseMeta(transaction);
        await sleep(1);
        await transaction.jmapMeta.findUnique({ where: { key: 'mixed' } });
      }, PATIENT);
      meta += 1;
    },
    async (id) => {
      const { ticket } = await tickets.issue(tokenPrincipal(id, 't1'), null);
      const used = await Promise.all([tickets.redeem(ticket), tickets.redeem(ticket)]);
      expect(used.map((credential) => credential?.id ?? '').toSorted()).toEqual(['', 't1']);
    },
    async (id) => {
      await store.read(id, { ...soon(), exclusive: random.chance(0.3) }, async (snapshot) => {
        const value = await current(snapshot);
        // Prisma leaves no change record: that is why teams don't write so.
        expect(await snapshot.stateNumber(todoType)).toBeLessThanOrEqual(value);
      });
      await reader.todo.findFirst({ where: { accountId: id } });
    },
  ];

  // In bursts, so that there is always something that waits, and less than the deadlines allow.
  let count = 0;
  for (; options.goesOn(count); count += BURST) {
    const burst = Array.from({ length: BURST }, () =>
      random.pick(operations)(random.pick(ACCOUNTS)),
    );
    // Nothing hangs: each operation ends by its own deadline, with Prisma's waits beside it.
    await within(`a burst (seed ${random.seed})`, Promise.all(burst), 2 * DEADLINE);
  }

  for (const [id, counts] of raised) {
    const left = await store.read(id, soon(), async (snapshot) => ({
      text: await current(snapshot),
      state: await snapshot.stateNumber(todoType),
    }));
    const { created } = await prisma.jmapAccount.findUniqueOrThrow({ where: { id } });
    const records = await prisma.jmapChange.aggregate({
      where: { accountId: id, type: 'Todo' },
      _count: true,
      _max: { number: true },
    });
    expect({ ...left, row: Number(created), records }, `seed ${random.seed}`).toEqual({
      text: counts.store + counts.prisma,
      state: counts.store,
      row: 1 + counts.row,
      // Numbers are a key: as many as the highest says means no gap.
      records: { _count: counts.store, _max: { number: BigInt(counts.store) } },
    });
  }
  const { value } = await prisma.jmapMeta.findUniqueOrThrow({ where: { key: 'mixed' } });
  expect(Number(value)).toBe(meta);
  return { operations: count, meta, ...Object.fromEntries(raised) };
}
