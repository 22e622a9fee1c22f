import type { Trace, TracedStatement, TracePhase } from '../store/port.js';

/**
 * Characters of parameters that a call keeps for its plans until all calls are done: those of a /set are as long as
 * its objects, of which a small request may change many.
 */
const MAX_PARAMETERS = 250_000;

/** All runs of one statement in a call. */
export interface Asked {
  readonly sql: string;
  readonly inThread: boolean;
  /** The first of them, for its plan; null where its parameters are too long to be kept. */
  readonly first: TracedStatement | null;
  count: number;
  /** Of which so many failed, or were given up to be run in a thread. */
  failed: number;
  rows: number;
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
  #kept = 0;

  asked(statement: TracedStatement): (rows: number | null) => void {
    const asked = this.#of(statement);
    asked.count += 1;
    const begun = performance.now();
    if (this.#open === 0) this.#opened = begun;
    this.#open += 1;
    return (rows) => {
      const now = performance.now();
      asked.time += now - begun;
      if (rows === null) asked.failed += 1;
      asked.rows += rows ?? 0;
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
    const { sql, inThread } = statement;
    const key = `${inThread ? 'thread' : 'here'} ${sql}`;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      const first = this.#keeps(statement) ? statement : null;
      asked = { sql, inThread, first, count: 0, failed: 0, rows: 0, time: 0 };
      this.#asked.set(key, asked);
    }
    return asked;
  }

  #keeps({ parameters }: TracedStatement): boolean {
    let characters = 0;
    for (const value of parameters) characters += typeof value === 'string' ? value.length : 0;
    if (this.#kept + characters > MAX_PARAMETERS) return false;
    this.#kept += characters;
    return true;
  }
}

/** As it is told: to the microsecond. */
export function milliseconds(time: number): number {
  return Math.round(time * 1000) / 1000;
}
