import { expect, it } from 'vitest';
import { withSeeds } from '../support/random.js';
import { Comparison } from './set-against-model.js';

it('calls of /set that share commits answer as a naive model, and leave its objects', async () => {
  await withSeeds(1, async (seed) => {
    const comparison = new Comparison(seed);
    await comparison.run(40);
    const { created, updated, destroyed, refused } = comparison.counts;
    for (const count of [created, updated, destroyed, refused]) expect(count).toBeGreaterThan(5);
  });
});
