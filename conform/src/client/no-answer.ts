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

/**
 * An event source or a WebSocket is silent, or can't be opened. The server may answer everything
 * else, so a run goes on.
 */
export class StreamError extends Error {
  override readonly name = 'StreamError';
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
export function describeSilence(error: NodeJS.ErrnoException): string {
  if (error instanceof SilentError || error instanceof LongError) return error.message;
  // Where a host has several addresses, the error holds one for each, and has no words itself.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const message = error.message === '' && first !== undefined ? first.message : error.message;
  if (error.code === 'ECONNREFUSED') return `the server takes no connections (${message})`;
  const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isBroken ? `the server broke the connection off (${message})` : message;
}
