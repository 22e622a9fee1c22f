import { expect, it } from 'vitest';
import { createLogging } from '../../src/server/logging.js';
import { startUpkeep, type UpkeepOptions } from '../../src/server/upkeep.js';

const lines: string[] = [];
const idle: UpkeepOptions = {
  limits: { changesKeep: 100, blobsKeep: 100, onceKeep: 100 },
  now: Date.now,
  log: createLogging('info', { write: (line: string) => void lines.push(line) }).log,
  pruneChanges: async () => 0,
  pruneAnswers: async () => 0,
  collectBlobs: async () => [],
  deleteBlob: async () => undefined,
  async *listBlobs() {
    // No blob at all.
  },
  knownBlobs: async () => [],
  blobsHeld: async () => false,
  pruneTickets: async () => 0,
  pruneRates: async () => 0,
  pruneLogouts: async () => 0,
  pruneSubscriptions: async () => 0,
  resumeDeletions: async () => undefined,
  findDuplicates: async () => undefined,
};

it('a round goes on until nothing is left; a blob’s octets go after its row', async () => {
  const steps: string[] = [];
  let batches = 2;
  const upkeep = startUpkeep({
    ...idle,
    async collectBlobs(before, limit) {
      expect(before).toBeLessThanOrEqual(Date.now() - idle.limits.blobsKeep);
      batches -= 1;
      const count = batches > 0 ? limit : batches === 0 ? 1 : 0;
      steps.push(`rows ${count}`);
      return Array.from({ length: count }, (_, n) => ({ accountId: 'A', id: `b${n}` }));
    },
    async deleteBlob(_accountId, id) {
      if (id === 'b0') steps.push('octets');
    },
  });
  await expect.poll(() => steps.length).toBeGreaterThanOrEqual(4);
  await upkeep.stop();
  expect(steps.slice(0, 4)).toEqual(['rows 500', 'octets', 'rows 1', 'octets']);
});

it('a round that fails is logged and tried again', async () => {
  let tries = 0;
  const upkeep = startUpkeep({
    ...idle,
    async pruneChanges() {
      tries += 1;
      throw new Error('disk full');
    },
  });
  await expect.poll(() => tries).toBeGreaterThan(1);
  await upkeep.stop();
  expect(lines.join('')).toContain('disk full');
});

it('octets stay if their rows went as a backup began: it may have copied the rows', async () => {
  const deleted: string[] = [];
  const looks = [false, true];
  let collected = 0;
  const upkeep = startUpkeep({
    ...idle,
    blobsHeld: async () => looks.shift() ?? true,
    async collectBlobs() {
      collected += 1;
      return [{ accountId: 'A', id: 'b0' }];
    },
    deleteBlob: async (_accountId, id) => void deleted.push(id),
  });
  await expect.poll(() => looks.length).toBe(0);
  await upkeep.stop();
  expect(collected).toBe(1);
  expect(deleted).toEqual([]);
});

it('resumes interrupted deletions of accounts at start, and leaves them at the end', async () => {
  let isStopped = (): boolean => false;
  const left: boolean[] = [];
  const upkeep = startUpkeep({
    ...idle,
    async resumeDeletions(stopped) {
      isStopped = stopped;
      while (!stopped()) await new Promise((resolve) => setTimeout(resolve, 5));
      left.push(stopped());
    },
  });
  expect(isStopped()).toBe(false);
  expect(left).toEqual([]);
  await upkeep.stop();
  expect(left).toEqual([true]);
});
