import { expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { OneByOne } from './one-by-one.js';

it('calls and works that share commits answer and leave the same as one by one', async () => {
  const { seed } = Random.fromEnvironment();
  const comparison = new OneByOne(seed);
  await comparison.run(12).catch((error: unknown) => {
    throw new Error(`TEST_SEED=${seed} repeats it.`, { cause: error });
  });
  const { works, refused, undone, statements, singleStatements } = comparison.counts;
  expect(works).toBeGreaterThan(40);
  for (const count of [refused, undone]) expect(count).toBeGreaterThan(0);
  // They do share what they read.
  expect(statements).toBeLessThan(singleStatements);
});
