import { expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { Comparison } from './set-against-model.js';

const RUNS = 60;

it('thousands of calls of /set that share commits answer as a naive model does', async () => {
  const first = Random.fromEnvironment().seed;
  let calls = 0;
  for (let seed = first; seed < first + RUNS; seed += 1) {
    const comparison = new Comparison(seed);
    await comparison.run(120).catch((error: unknown) => {
      throw new Error(`TEST_SEED=${seed} repeats it.`, { cause: error });
    });
    calls += comparison.counts.calls;
  }
  process.stdout.write(`${calls} calls, seeds ${first} to ${first + RUNS - 1}\n`);
  expect(calls).toBeGreaterThan(15_000);
}, 900_000);
