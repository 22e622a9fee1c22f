import type { Trace, TracedAnswer, TracedStatement, TracePhase } from '../store/port.js';

/** All runs of one statement in a call. */
export interface Asked {
  /** The first of them: its parameters are what its plan is made with. */
  readonly statement: TracedStatement;
  count: number;
  /** Of which so many failed, or were given up to be run in a thread. */
  failed: number;
  rows: number;
  octets: number;
  /** From the question to the answer, ms. */
  time: number;
}

/** Where the time of a call went, ms; the rest is the server's own. */
export interface Times {
  readonly waiting: number;
  /** While a statement was unanswered: those that are sent together count once. */
  readonly database: number;
  readonly committing: number;
}

/** What one call asked of the store, and how long it waited. */
export class CallTrace implements Trace {
  readonly #asked = new Map<string, Asked>();
  readonly #spent = { waiting: 0, working: 0, committing: 0, elsewhere: 0 };
  #phase: TracePhase = 'elsewhere';
  #since = performance.now();
  #open = 0;
  #opened = 0;
  #database = 0;

  asked(statement: TracedStatement): (answer: TracedAnswer | null) => void {
    const asked = this.#of(statement);
    asked.count += 1;
    const begun = performance.now();
    if (this.#open === 0) this.#opened = begun;
    this.#open += 1;
    return (answer) => {
      const now = performance.now();
      asked.time += now - begun;
      if (answer === null) asked.failed += 1;
      asked.rows += answer?.rows ?? 0;
      asked.octets += answer?.octets ?? 0;
      this.#open -= 1;
      if (this.#open === 0) this.#database += now - this.#opened;
    };
  }

  phase(phase: TracePhase): void {
    const now = performance.now();
    this.#spent[this.#phase] += now - this.#since;
    this.#phase = phase;
    this.#since = now;
  }

  get statements(): readonly Asked[] {
    return [...this.#asked.values()];
  }

  get times(): Times {
    const { waiting, committing } = this.#spent;
    return { waiting, committing, database: this.#database };
  }

  #of(statement: TracedStatement): Asked {
    const key = `${statement.inThread ? 'thread' : 'here'} ${statement.sql}`;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = { statement, count: 0, failed: 0, rows: 0, octets: 0, time: 0 };
      this.#asked.set(key, asked);
    }
    return asked;
  }
}

/** As it is told: to the microsecond. */
export function milliseconds(time: number): number {
  return Math.round(time * 1000) / 1000;
}
