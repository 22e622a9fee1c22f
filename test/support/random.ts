/** A small seeded generator (mulberry32): a failing run is repeated with its printed seed. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** A seed from the environment (`TEST_SEED`) or a fresh one. */
  static fromEnvironment(): Random {
    const given = process.env['TEST_SEED'];
    return new Random(given === undefined ? Math.trunc(Math.random() * 2 ** 32) : Number(given));
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `minimum` to `maximum`, both included. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}

/**
 * Calls `work` with so many seeds, the first from the environment or a fresh one; a failure says which seed repeats it.
 * Resolves to what they were.
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
