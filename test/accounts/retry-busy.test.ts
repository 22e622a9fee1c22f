import { afterEach, beforeEach, expect, it } from 'vitest';
import { retryBusy } from '../../src/accounts/change.js';
import { openTestDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;

beforeEach(() => {
  database = openTestDatabase();
});
afterEach(() => database.close());

it('a transaction that ran out of its time is unavailable, and not repeated', async () => {
  let attempts = 0;
  const work = () =>
    database.prisma.$transaction(
      async (transaction) => {
        attempts += 1;
        await transaction.jmapMeta.count();
        await new Promise((resolve) => setTimeout(resolve, 100));
        await transaction.jmapMeta.count();
      },
      { timeout: 20 },
    );
  await expect(retryBusy(work)).rejects.toMatchObject({
    name: 'UnavailableError',
    cause: { code: 'P2028' },
  });
  expect(attempts).toBe(1);
});

it('a transaction that didn’t begin in time is repeated', async () => {
  let attempts = 0;
  const result = await retryBusy(async () => {
    attempts += 1;
    if (attempts > 1) return 'done';
    const message = 'Unable to start a transaction in the given time.';
    throw Object.assign(new Error(message), { code: 'P2028' });
  });
  expect([result, attempts]).toEqual(['done', 2]);
});
