/** What a read that may scan has of the thread that serves all requests, ms, before it is begun anew in another one. */
export const SLICE = 10;
/** Statements that were too long for the thread of all requests, of all accounts together. */
const LIMIT = 1000;
/** For so long, ms, such a statement isn't tried there again. */
const REMEMBERED = 60_000;

/** A read that has used up what it may have of the thread that serves all requests. */
export class SliceError extends Error {
  override readonly name = 'SliceError';
}

/**
 * How long something takes of a thread, ms. By the clock it is as long as whatever else the machine does
 * meanwhile, so `exactly` is no longer than the process has had of the processors. That costs 2 µs.
 */
export function stopwatch(exactly: boolean): () => number {
  const begun = performance.now();
  if (!exactly) return () => performance.now() - begun;
  const before = process.cpuUsage();
  return () => {
    const time = performance.now() - begun;
    const { user, system } = process.cpuUsage(before);
    return Math.min(time, (user + system) / 1000);
  };
}

/**
 * What a read is told that has had so many ms by the clock: to go on until it has had as many again of the
 * processors, and then SliceError, or what `late` makes at its deadline.
 */
export function endOfSlice(ms: number, deadline: number, late: () => Error): () => Error | number {
  let had: (() => number) | null = null;
  return () => {
    const now = performance.now();
    if (now > deadline) return late();
    had ??= stopwatch(true);
    const left = ms - had();
    return left > 0 ? Math.min(now + left, deadline) : sliceError();
  };
}

/** Hears of the statements of a read that may have no more than a moment. */
export interface Slice {
  /**
   * Throws SliceError for a statement that is known to take longer; true for one that did so the last time,
   * by the clock: now it is to be timed exactly.
   */
  admit(text: string): boolean;

  /** The statement was done in so many milliseconds. */
  took(text: string, time: number): void;

  /** The statement has been stopped, since it took longer than it may here. */
  exhausted(text: string): void;
}

/** Thrown for each read of a known statement: always the same, for a stack is dear and says nothing. */
const SLICE_ERROR = new SliceError('The read takes longer than it may here.');

export function sliceError(): SliceError {
  return SLICE_ERROR;
}

interface Known {
  readonly until: number;
  /** It took too long here; otherwise it was done, but elsewhere it would keep nobody waiting. */
  readonly stopped: boolean;
}

/**
 * Which statements of an account took long lately: they needn't be tried again and again. By their
 * text, which is the same for all values.
 */
export class LongStatements {
  readonly #longest: number;
  readonly #moment: number;
  readonly #slice: number;
  /** By account, then by text. */
  readonly #known = new Map<string, Map<string, Known>>();
  #size = 0;
  /** Those that took more than a moment the last time, and not the time before. */
  readonly #suspects = new Map<string, Set<string>>();
  #suspected = 0;

  /**
   * A text of more than `longest` characters is long to prepare, whatever it reads; what takes more
   * than `moment` ms twice in a row is better run where nobody waits for it. Once may be a cold cache, or
   * another program's time. What never asks for the time is bounded otherwise, and has a `slice`.
   */
  constructor(longest: number, moment: number, slice: number) {
    this.#longest = longest;
    this.#moment = moment;
    this.#slice = slice;
  }

  of(accountId: string): Slice {
    const known = this.#known.get(accountId);
    return {
      admit: (text) => {
        if (text.length > this.#longest) throw sliceError();
        const statement = known?.get(text);
        if (statement !== undefined) {
          if (performance.now() < statement.until) throw sliceError();
          this.#forget(accountId, text);
        }
        return this.#suspected > 0 && this.#suspects.get(accountId)?.has(text) === true;
      },
      took: (text, time) => {
        if (time > this.#moment && time > this.#momentOf(text)) this.#suspect(accountId, text);
        else if (this.#suspected > 0) this.#acquit(accountId, text);
      },
      exhausted: (text) => {
        if (text.length <= this.#longest) this.#note(accountId, text, true);
      },
    };
  }

  /**
   * A statement was done elsewhere in so many milliseconds. What was done in a moment may come back: by
   * the clock of a busy machine anything is long now and then. What has been stopped may not: with
   * other values it would be again.
   */
  elsewhere(accountId: string, text: string, time: number): void {
    if (time > this.#momentOf(text) / 2) return;
    if (this.#known.get(accountId)?.get(text)?.stopped === false) this.#forget(accountId, text);
  }

  #momentOf(text: string): number {
    return text.includes('jmap_tick') ? this.#moment : Math.max(this.#moment, this.#slice);
  }

  #suspect(accountId: string, text: string): void {
    if (this.#acquit(accountId, text)) {
      this.#note(accountId, text, false);
      return;
    }
    if (this.#suspected >= LIMIT) {
      this.#suspects.clear();
      this.#suspected = 0;
    }
    const suspects = this.#suspects.get(accountId) ?? new Set<string>();
    this.#suspects.set(accountId, suspects.add(text));
    this.#suspected += 1;
  }

  /** Whether it was suspected. */
  #acquit(accountId: string, text: string): boolean {
    const suspects = this.#suspects.get(accountId);
    if (suspects?.delete(text) !== true) return false;
    this.#suspected -= 1;
    if (suspects.size === 0) this.#suspects.delete(accountId);
    return true;
  }

  #note(accountId: string, text: string, stopped: boolean): void {
    if (this.#size >= LIMIT) {
      this.#known.clear();
      this.#size = 0;
    }
    const known = this.#known.get(accountId) ?? new Map<string, Known>();
    this.#known.set(accountId, known);
    if (!known.has(text)) this.#size += 1;
    else if (!stopped) return;
    known.set(text, { until: performance.now() + REMEMBERED, stopped });
  }

  #forget(accountId: string, text: string): void {
    const known = this.#known.get(accountId);
    if (known?.delete(text) !== true) return;
    this.#size -= 1;
    if (known.size === 0) this.#known.delete(accountId);
  }
}
