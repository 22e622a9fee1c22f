import { describe, expect, it } from 'vitest';
import { createLogging } from '../src/logging.js';
import { startUpkeep } from '../src/upkeep.js';

const limits = { changesKeep: 100, blobsKeep: 100 };

function logging(): {
  readonly lines: string[];
  readonly log: ReturnType<typeof createLogging>['log'];
} {
  const lines: string[] = [];
  return {
    lines,
    log: createLogging('info', { write: (line: string) => void lines.push(line) }).log,
  };
}

describe('upkeep (decisions 9 and 23)', () => {
  it('works until nothing is left; a blob’s octets go after its row', async () => {
    const steps: string[] = [];
    let batches = 2;
    const upkeep = startUpkeep({
      ...logging(),
      limits,
      pruneChanges: async () => 0,
      async collectBlobs(before, limit) {
        expect(before).toBeLessThanOrEqual(Date.now() - limits.blobsKeep);
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

  it('a failure is logged and tried again', async () => {
    const { lines, log } = logging();
    let tries = 0;
    const upkeep = startUpkeep({
      log,
      limits,
      async pruneChanges() {
        tries += 1;
        throw new Error('disk full');
      },
      collectBlobs: async () => [],
      deleteBlob: async () => undefined,
    });
    await expect.poll(() => tries).toBeGreaterThan(1);
    await upkeep.stop();
    expect(lines.join('')).toContain('disk full');
  });
});
