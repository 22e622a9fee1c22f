import { type Ask, send } from '../../database/postgresql/batch.js';
import { isStale, isUnavailable, translateError } from '../../database/postgresql/driver-errors.js';
import type { Acquired } from '../../database/postgresql/pool.js';
import type { Row } from '../sql/row-codec.js';
import type { Statement } from './statement.js';

/**
 * Sends together what one turn asks of a connection, at the turn's end (batch.ts); answers come in
 * that order. Keeps the first error.
 */
export class Asking {
  readonly #client: Acquired;
  /** The statements to send at the end of this turn. */
  #asks: Ask[] = [];
  #broken = false;
  #last: Promise<unknown> = Promise.resolve();
  #spoiled: { readonly error: unknown } | undefined;

  constructor(client: Acquired) {
    this.#client = client;
  }

  /** Returns true where the connection is of no use any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Returns the first error: nothing of the transaction can be kept. */
  get spoiled(): { readonly error: unknown } | undefined {
    return this.#spoiled;
  }

  /** Goes with what else this turn asks for. Resolves to the command's tag. */
  ask(statement: Statement, take: (row: Row) => void = ignore): Promise<string> {
    const { text, lifetime, values } = statement;
    const answer = new Promise<string>((resolve, reject) => {
      const failed = (thrown: unknown): void => {
        if (leavesNothing(thrown)) this.#broken = true;
        const error = translateError(thrown);
        this.spoil(error);
        reject(error);
      };
      const { length } = this.#asks;
      // Not `...statement`: V8 keeps such copies, and all they refer to, until a full collection.
      this.#asks.push({ text, lifetime, values, take, resolve, reject: failed });
      // Behind the turn's promises: works that follow each other are one batch.
      if (length === 0) process.nextTick(() => this.flush());
    });
    this.#last = answer;
    return answer;
  }

  /** Nothing of the transaction is to be kept. */
  spoil(error: unknown): void {
    this.#spoiled ??= { error };
  }

  /** Sends what has been asked so far. */
  flush(): void {
    const asks = this.#asks;
    if (asks.length === 0) return;
    this.#asks = [];
    send(this.#client, asks);
  }

  /** Resolves when all that was asked has been answered. */
  async quiet(): Promise<void> {
    await this.#last.catch(ignore);
  }

  /** The connection is not to be used again. */
  breakOff(): void {
    this.#broken = true;
  }
}

function ignore(): void {
  // Nothing that the statement gives is needed.
}

/** A statement's time-out leaves a connection that is as good as before. */
function leavesNothing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return isStale(error) || (isUnavailable(error) && code !== '57014');
}
