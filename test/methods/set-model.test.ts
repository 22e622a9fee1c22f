import { expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { Comparison } from './set-against-model.js';

it('calls of /set that share commits answer as a naive model does, and leave what it has', async () => {
  const { seed } = Random.fromEnvironment();
  const comparison = new Comparison(seed);
  await comparison.run(40).catch((error: unknown) => {
    throw new Error(`TEST_SEED=${seed} repeats it.`, { cause: error });
  });
  const { created, updated, destroyed, refused } = comparison.counts;
  for (const count of [created, updated, destroyed, refused]) expect(count).toBeGreaterThan(5);
});
