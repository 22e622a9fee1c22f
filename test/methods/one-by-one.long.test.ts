import { expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { OneByOne } from './one-by-one.js';

const RUNS = 40;

it('thousands of calls that share commits answer and leave the same as one by one', async () => {
  const first = Random.fromEnvironment().seed;
  let count = 0;
  for (let seed = first; seed < first + RUNS; seed += 1) {
    const comparison = new OneByOne(seed);
    await comparison.run(40).catch((error: unknown) => {
      throw new Error(`TEST_SEED=${seed} repeats it.`, { cause: error });
    });
    count += comparison.counts.works;
  }
  process.stdout.write(`${count} works, seeds ${first} to ${first + RUNS - 1}\n`);
  expect(count).toBeGreaterThan(5000);
}, 900_000);
