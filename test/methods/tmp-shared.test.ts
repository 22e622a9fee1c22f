import { expect, it } from 'vitest';
import { Random, withSeeds } from '../support/random.js';
import { runShared } from './shared-folders.js';

it('x', async () => {
  const seeds = await withSeeds(Number(process.env.N ?? 12), (seed) =>
    runShared(new Random(seed), 8),
  );
  expect(seeds).not.toBe('');
}, 3_600_000);
