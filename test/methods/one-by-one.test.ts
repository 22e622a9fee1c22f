import { expect, it } from 'vitest';
import { withSeeds } from '../support/random.js';
import { OneByOne } from './one-by-one.js';

it('calls and works that share commits answer and leave the same as one by one', async () => {
  await withSeeds(1, async (seed) => {
    const comparison = new OneByOne(seed);
    await comparison.run(12);
    const { works, refused, undone, statements, singleStatements } = comparison.counts;
    expect(works).toBeGreaterThan(40);
    for (const count of [refused, undone]) expect(count).toBeGreaterThan(0);
    // They do share what they read.
    expect(statements).toBeLessThan(singleStatements);
  });
});
