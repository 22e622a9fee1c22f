/** Nobody asks again so long after a failure, ms. */
export const PAUSE = 30_000;

export interface RenewalOptions {
  /** Asks the provider, and keeps what it says. Rejects where it says nothing usable. */
  readonly ask: () => Promise<void>;
  /** The provider is asked again when it last said something so long ago, ms. */
  readonly fresh: number;
  /** How old it is at the start, ms; null: nothing is known. */
  readonly age: number | null;
  /** Is told why the provider could not be asked. */
  readonly onError: (error: unknown) => void;
  /** ms that have passed since some moment. */
  readonly passed: () => number;
}

/**
 * Says when a provider is asked again for what it said: when that is old, once for all who wait,
 * and after a failure not for a while.
 */
export class Renewal {
  readonly #options: RenewalOptions;
  #saidAt: number;
  #failedAt = Number.NEGATIVE_INFINITY;
  #error: unknown;
  #running: Promise<void> | null = null;
  #begun = 0;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#saidAt = options.passed() - (options.age ?? Number.POSITIVE_INFINITY);
  }

  /** How old what the provider said is, ms; infinite where it has said nothing. */
  get age(): number {
    return this.#options.passed() - this.#saidAt;
  }

  /** The question that is under way; it never rejects. */
  get running(): Promise<void> | null {
    return this.#running;
  }

  /** How many questions have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** The last question failed. */
  get isAway(): boolean {
    return this.#failedAt > Number.NEGATIVE_INFINITY;
  }

  /** The last question failed a moment ago. */
  get isPausing(): boolean {
    return this.#options.passed() - this.#failedAt < PAUSE;
  }

  /** Why the last question that failed did so. */
  get error(): unknown {
    return this.#error;
  }

  /** Asks where it is time. */
  renew(): void {
    if (this.age >= this.#options.fresh && !this.isPausing) void this.ask();
  }

  /** Asks, or waits for the question that is under way. Never rejects. */
  ask(): Promise<void> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Has it asked for again, however new it is. */
  expire(): void {
    this.#saidAt = Number.NEGATIVE_INFINITY;
  }

  async #ask(): Promise<void> {
    const { ask, passed, onError } = this.#options;
    this.#begun += 1;
    const at = passed();
    try {
      await ask();
      this.#saidAt = at;
      this.#failedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.#failedAt = passed();
      this.#error = error;
      onError(error);
    }
  }
}
