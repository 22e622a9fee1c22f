import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { Storage } from '../../src/server/storage.js';
import { usePostgresql } from '../support/postgresql.js';
import { addAccounts, onPostgresql, onSqlite, todo } from './storages.js';

/**
 * One account floods, another has a few calls, each made when the one before is answered. How much
 * of the flood is answered until the last of them is: counted, since no time means anything on a
 * busy machine.
 */
const FLOOD = 'aflood';
const OTHER = 'another';
const soon = () => ({ deadline: performance.now() + 60_000 });

/** Resolves to how many calls of the flood were answered before the last of the `few`. */
async function answeredBefore(
  flood: number,
  few: number,
  call: (accountId: string, number: number) => Promise<unknown>,
): Promise<number> {
  let answered = 0;
  const all = Array.from({ length: flood }, async (_, number) => {
    await call(FLOOD, number);
    answered += 1;
  });
  for (let number = 0; number < few; number += 1) await call(OTHER, number);
  const before = answered;
  await Promise.all(all);
  expect(answered).toBe(flood);
  return before;
}

async function insert({ store }: Storage, accountId: string, number: number): Promise<void> {
  await store.write(accountId, soon(), async (transaction) => {
    const object = todo(`r${number}`, 'x');
    await transaction.writeRows('insert', todoType, [object]);
    await transaction.record(todoType, [{ objectId: object.id, kind: 'created' }]);
  });
}

const postgresql = usePostgresql();
let databases = 0;

const engines: readonly (readonly [string, () => Promise<Storage>])[] = [
  ['SQLite', onSqlite],
  [
    'PostgreSQL',
    async () => {
      databases += 1;
      return onPostgresql(await postgresql().createDatabase(`fair${databases}`));
    },
  ],
];

describe.each(engines)('an account that floods, on %s', (_, open) => {
  const ready = async (): Promise<Storage> => {
    const storage = await open();
    await addAccounts(storage, [FLOOD, OTHER]);
    return storage;
  };

  it('keeps a write of another waiting for two groups of its own at the most', async () => {
    const storage = await ready();
    // A group that runs already, and the one that the call is in: 64 works each.
    const before = await answeredBefore(600, 2, (id, number) => insert(storage, id, number));
    expect(before).toBeLessThanOrEqual(2 * 2 * 64);
  });

  it('keeps a call with hooks of another waiting for few of its own', async () => {
    const storage = await ready();
    const before = await answeredBefore(100, 4, (id) =>
      storage.store.write(id, { ...soon(), exclusive: true }, () => sleep(1)),
    );
    // On SQLite the one that runs, and one more; PostgreSQL runs both accounts at the same time.
    expect(before).toBeLessThanOrEqual(4 * 10);
  });

  it('keeps a hook of another that reads waiting for few of its own', async () => {
    const storage = await ready();
    const before = await answeredBefore(200, 4, (id) =>
      storage.store.read(id, { ...soon(), exclusive: true }, async (snapshot) => {
        await snapshot.stateNumber(todoType);
        await sleep(1);
      }),
    );
    // As many as there are connections (at the most 12) while it waits, and while it runs: a slow
    // machine may have the others run twice then. All 200 are answered before an unfair store.
    expect(before).toBeLessThanOrEqual(4 * 3 * 12);
  });

  it('fills half of the queue at the most, and another is not turned away', async () => {
    const storage = await ready();
    const look = (accountId: string): Promise<number> =>
      storage.store.write(accountId, soon(), (transaction) => transaction.stateNumber(todoType));
    const told = Promise.allSettled(Array.from({ length: 2100 }, () => look(FLOOD)));
    await look(OTHER);
    const refused = (await told).flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    // On PostgreSQL some leave the queue at once.
    expect(refused.length).toBeGreaterThanOrEqual(2100 - 1024 - 64);
    for (const reason of refused) expect(reason).toBeInstanceOf(UnavailableError);
  });
});
