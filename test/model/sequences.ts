import * as fc from 'fast-check';
import { Random } from '../support/random.js';
import type { Types } from './account.js';
import { begin, run, type Talker } from './session.js';
import { round } from './together.js';

/** Steps that a client makes, each by its own numbers. */
export const sequences = (most: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.nat({ max: 0xffff }), { maxLength: 120, size: 'max' }), {
    minLength: 1,
    maxLength: most,
    size: 'max',
  });

interface Counts {
  /** Sequences, all of which are run. */
  readonly runs: number;
  /** The longest one. */
  readonly steps: number;
  /** Where TEST_SEED names no other; a fresh one without. */
  readonly seed?: number;
}

/**
 * For so long a counterexample is shrunk, ms: before the time of the test is over, so that it is
 * told.
 */
const SHRINKING = 15_000;

/**
 * So many random sequences against the model. A failure is shrunk to few and small requests; the
 * message has the seed that repeats it, by TEST_SEED. Resolves to how many requests were made.
 */
export async function sequencesAgree(
  talker: Talker,
  types: Types,
  accounts: readonly string[],
  counts: Counts,
): Promise<number> {
  return check(counts, async (sequence) => {
    const session = await begin(talker, types, accounts);
    await run(session, sequence);
    return session.exchanges.length;
  });
}

/**
 * The same with several clients at once: each step is a round, in which all of them send. How their
 * calls follow each other is another one each time, so a failure is not shrunk. Resolves to how
 * many calls were answered.
 */
export async function roundsAgree(
  talkers: readonly Talker[],
  types: Types,
  accounts: readonly string[],
  counts: Counts,
): Promise<number> {
  const [first] = talkers;
  if (first === undefined) throw new Error('There is no client.');
  return check(
    counts,
    async (sequence) => {
      const session = await begin(first, types, accounts);
      let calls = 0;
      for (const [n, numbers] of sequence.entries()) {
        // Some queries, for /queryChanges in rounds.
        if (n % 3 === 0) await session.step(asQuery(numbers));
        calls += await round(session, talkers, numbers);
      }
      return calls;
    },
    0,
  );
}

/** Numbers of which a session makes a query. */
const asQuery = (numbers: readonly number[]): readonly number[] => [0, 3, ...numbers];

/** Runs all: a machine may be slow, but none passes with fewer (`Counts`) than asked for. */
async function check(
  { runs, steps, seed: usual }: Counts,
  one: (sequence: number[][]) => Promise<number>,
  shrinking = SHRINKING,
): Promise<number> {
  const { seed } = Random.fromEnvironment(usual);
  let done = 0;
  let failedAt: number | null = null;
  const property = fc.asyncProperty(sequences(steps), async (sequence) => {
    // A shrunk one that isn't tried counts as right: what failed before it is told.
    if (failedAt !== null && performance.now() - failedAt > shrinking) return;
    try {
      done += await one(sequence);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: shrinking === 0 });
  const { counterexamplePath, numShrinks, numRuns, errorInstance } = details;
  if (!details.failed) {
    if (numRuns !== runs) throw new Error(`${numRuns} of ${runs} sequences were run.`);
    return done;
  }
  const message =
    `TEST_SEED=${seed} repeats it (path ${counterexamplePath}, shrunk ${numShrinks} times).\n` +
    `${String(errorInstance)}`;
  // At once: the runner prints errors when all files have run, which may be an hour later.
  process.stdout.write(`${message}\n`);
  throw new Error(message, { cause: errorInstance });
}
