import { Random } from '../support/random.js';
import type { FuzzAccounts, FuzzWorld, Pool } from './world.js';

/**
 * The draws of one request: a generator of its own, so that its number and the seed tell it.
 */
export class Draw extends Random {
  readonly world: FuzzWorld;
  readonly pool: Pool;
  readonly accounts: FuzzAccounts;
  /** Whether everything so far is as the specifications have it. */
  clean = true;
  readonly number: number;

  constructor(options: {
    seed: number;
    number: number;
    world: FuzzWorld;
    pool: Pool;
    accounts: FuzzAccounts;
  }) {
    super(mixed(options.seed, options.number));
    this.number = options.number;
    this.world = options.world;
    this.pool = options.pool;
    this.accounts = options.accounts;
  }

  /** One of some functions, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      rest -= weight;
      if (rest < 0) return make();
    }
    return this.pick(choices)[1]();
  }

  some<T>(items: readonly T[], most: number): T[] {
    if (items.length === 0) return [];
    return Array.from({ length: this.integer(0, most) }, () => this.pick(items));
  }

  /** Marks the request as one that need not succeed. */
  odd<T>(value: T): T {
    this.clean = false;
    return value;
  }
}

/** Neighbouring numbers of neighbouring seeds have nothing in common. */
function mixed(seed: number, number: number): number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  state = Math.imul(state ^ (state >>> 16), 0x27d4eb2f);
  return (state ^ (state >>> 15)) >>> 0;
}
