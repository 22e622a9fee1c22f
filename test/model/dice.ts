/**
 * Numbers that fast-check draws and shrinks. Any choice by them is a request. 0 is the simplest
 * choice, and so is the one after they are used up: fewer and smaller numbers make a smaller
 * counterexample.
 */
export class Dice {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A whole number from 0 to `count - 1`. */
  below(count: number): number {
    const number = this.#numbers[this.#next] ?? 0;
    this.#next += 1;
    return number % count;
  }

  /** True in so many of a hundred. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Up to `most` of what `make` gives. */
  some<T>(most: number, make: (n: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, n) => make(n));
  }
}
