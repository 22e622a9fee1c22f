import type { Check } from './check.js';
import type { Outcome } from './outcome.js';
import type { Progress } from './runner.js';

/** ms between two lines, where nothing fails. */
const EVERY = 2000;

/** Tells how far a run is: a line every two seconds, and one for each failure. */
export class ProgressLines implements Progress {
  readonly #tell: (line: string) => void;
  #planned = 0;
  #done = 0;
  #failed = 0;
  #told = performance.now();

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** How much of the run a report doesn't tell. */
  get left(): string {
    return `Of ${this.#planned} checks ${this.#planned - this.#done} were left.`;
  }

  planned(count: number): void {
    this.#planned = count;
    this.#tell(`${count} checks`);
  }

  started(_check: Check, _type: string | null): void {
    // The line after a slow check tells its time.
  }

  /** Tells of a failure at once, and from time to time how many checks are over. */
  ended({ status, check, type }: Outcome): void {
    this.#done += 1;
    if (status === 'failed' || status === 'defect') {
      this.#failed += status === 'failed' ? 1 : 0;
      const word = status === 'failed' ? 'FAILED' : 'DEFECT of the runner:';
      this.#tell(`${word} ${check.id}${type === null ? '' : ` (${type})`}`);
    }
    const now = performance.now();
    if (now - this.#told < EVERY && this.#done < this.#planned) return;
    this.#told = now;
    this.#tell(`${this.#done} of ${this.#planned}, ${this.#failed} failed`);
  }
}
