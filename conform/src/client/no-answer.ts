/** The server did not answer: it can't be reached, broke off, or took longer than it may. */
export class NoAnswerError extends Error {
  override readonly name: string = 'NoAnswerError';
}

/** The server answers, but serves this user no longer: no check after this one can be done. */
export class DeclinedError extends NoAnswerError {
  override readonly name = 'DeclinedError';
  readonly #what: string;
  readonly #detail: string;

  /** `what` is a sentence without its full stop, `detail` names the request and the answer. */
  constructor(what: string, detail: string) {
    super(`${what}: ${detail}`);
    this.#what = what;
    this.#detail = detail;
  }

  /** Returns the message with the check that ran when it began. */
  since(check: string): string {
    return `${this.#what} since ${check}: ${this.#detail}`;
  }
}

/** Nothing came in the time that a server may take. */
export class SilentError extends Error {
  constructor(patience: number) {
    super(`the server hangs: no whole answer within ${patience / 1000} s`);
  }
}

/** An answer is longer than any that a check asks for. */
export class LongError extends Error {
  constructor(most: number) {
    super(`the answer has more than ${most} octets`);
  }
}

/** Returns words for what a server did in place of an answer. */
export function silence(error: NodeJS.ErrnoException): string {
  if (error instanceof SilentError || error instanceof LongError) return error.message;
  if (error.code === 'ECONNREFUSED') return `the server takes no connections (${error.message})`;
  const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isBroken ? `the server broke the connection off (${error.message})` : error.message;
}
