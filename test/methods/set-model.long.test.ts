import { expect, it } from 'vitest';
import { withSeeds } from '../support/random.js';
import { Comparison } from './set-against-model.js';

it('thousands of calls of /set that share commits answer as a naive model does', async () => {
  let calls = 0;
  const seeds = await withSeeds(60, async (seed) => {
    const comparison = new Comparison(seed);
    await comparison.run(120);
    calls += comparison.counts.calls;
  });
  process.stdout.write(`${calls} calls, ${seeds}\n`);
  expect(calls).toBeGreaterThan(15_000);
}, 900_000);
