import { expect, it } from 'vitest';
import { useFixtures } from '../support/fixtures.js';
import { Random } from '../support/random.js';
import { expectConsistent } from './consistency.js';
import { fuzz } from './fuzz.js';
import { FUZZ_ENV, fuzzOptions, PROJECT_WORLD } from './rig.js';
import { complaints, defects } from './watch.js';

/** A few of the requests of fuzz.long.test.ts, on the project's own types. */
const { server, fixtures } = useFixtures({ env: FUZZ_ENV }, ['A2', 'AR', 'AX']);

it('every answer is one that the protocol has', async () => {
  const { seed } = Random.fromEnvironment(8);
  const options = fuzzOptions(server(), fixtures());
  const before = server().stderr().length;
  const client = options.client.with(PROJECT_WORLD.capabilities);
  const world = PROJECT_WORLD;
  const report = await fuzz({ ...options, client, world, seed, requests: 700 });
  expect(report.findings, `TEST_SEED=${seed}`).toEqual([]);
  expect(complaints(server().stderr().slice(before))).toEqual([]);
  expect(defects(server().stdout())).toEqual([]);
  // Requests are run, and refused: a generator that makes nonsense alone would find nothing.
  const kinds = [...report.counts.keys()];
  for (const kind of ['200 Todo/set', '200 Todo/query', '200 error invalidArguments']) {
    expect(kinds).toContain(kind);
  }
  const { own } = options.accounts;
  await expectConsistent(client, world.types, own);
});
