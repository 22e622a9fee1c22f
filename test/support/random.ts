import { Random as Generator } from '../../conform/src/random.js';

/** The runner's generator, with a seed of the environment. */
export class Random extends Generator {
  /** A seed from the environment (`TEST_SEED`), else the usual one, else a fresh one. */
  static fromEnvironment(usual = Math.trunc(Math.random() * 2 ** 32)): Random {
    const given = process.env['TEST_SEED'];
    return new Random(given === undefined ? usual : Number(given));
  }
}

/**
 * Calls `work` with so many seeds, the first from the environment or a fresh one; a failure says
 * which seed repeats it. Resolves to what they were.
 */
export async function withSeeds(
  count: number,
  work: (seed: number) => Promise<void>,
): Promise<string> {
  const first = Random.fromEnvironment().seed;
  for (let seed = first; seed < first + count; seed += 1) {
    await work(seed).catch((error: unknown) => {
      throw new Error(`TEST_SEED=${seed} repeats it.`, { cause: error });
    });
  }
  return count === 1 ? `seed ${first}` : `seeds ${first} to ${first + count - 1}`;
}
