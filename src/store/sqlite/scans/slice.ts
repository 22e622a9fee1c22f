/** Statements that were too long for the thread of all requests, of all accounts together. */
const LIMIT = 1000;
/** For so long, ms, such a statement isn't tried there again. */
const REMEMBERED = 60_000;

/** A read that has used up what it may have of the thread that serves all requests. */
export class SliceError extends Error {
  override readonly name = 'SliceError';
}

/** Hears of the statements of a read that may have no more than a moment. */
export interface Slice {
  /** Throws SliceError for a statement that is known to take longer. */
  admit(text: string): void;

  /** The statement has taken longer. */
  exhausted(text: string): void;
}

export function sliceError(): SliceError {
  return new SliceError('The read takes longer than it may here.');
}

/**
 * Which statements of an account took too long lately: they needn't be tried again and again. By
 * their text, which is the same for all values.
 */
export class LongStatements {
  readonly #longest: number;
  /** By account, then by text: until when. */
  readonly #known = new Map<string, Map<string, number>>();
  #size = 0;

  /** A text of more than `longest` characters is long to prepare, whatever it reads. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  of(accountId: string): Slice {
    const known = this.#known.get(accountId);
    return {
      admit: (text) => {
        if (text.length > this.#longest) throw sliceError();
        const until = known?.get(text);
        if (until === undefined) return;
        if (performance.now() < until) throw sliceError();
        this.#forget(accountId, text);
      },
      exhausted: (text) => {
        if (text.length <= this.#longest) this.#note(accountId, text);
      },
    };
  }

  #note(accountId: string, text: string): void {
    if (this.#size >= LIMIT) {
      this.#known.clear();
      this.#size = 0;
    }
    const known = this.#known.get(accountId) ?? new Map<string, number>();
    this.#known.set(accountId, known);
    if (known.has(text)) return;
    known.set(text, performance.now() + REMEMBERED);
    this.#size += 1;
  }

  #forget(accountId: string, text: string): void {
    const known = this.#known.get(accountId);
    if (known?.delete(text) !== true) return;
    this.#size -= 1;
    if (known.size === 0) this.#known.delete(accountId);
  }
}
