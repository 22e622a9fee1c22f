import { expect, it } from 'vitest';
import { withSeeds } from '../support/random.js';
import { OneByOne } from './one-by-one.js';

it('thousands of calls that share commits answer and leave the same as one by one', async () => {
  let count = 0;
  const seeds = await withSeeds(40, async (seed) => {
    const comparison = new OneByOne(seed);
    await comparison.run(40);
    count += comparison.counts.works;
  });
  process.stdout.write(`${count} works, ${seeds}\n`);
  expect(count).toBeGreaterThan(5000);
}, 900_000);
