import type pg from 'pg';
import { type Ask, send } from '../../database/postgresql/batch.js';
import { isStale, isUnavailable, translateError } from '../../database/postgresql/errors.js';
import type { Acquired } from '../../database/postgresql/pool.js';
import type { Row } from '../sql/objects.js';
import type { Statement } from './statement.js';

/**
 * What a connection is asked: what comes in one turn is sent together at its end (batch.ts). Knows what has
 * not been answered yet, and what went wrong first.
 */
export class Asking {
  readonly #client: Acquired;
  /** What is sent at the end of this turn. */
  #asked: Ask[] = [];
  #broken = false;
  /** Statements that have not been answered, and who waits for all their answers. */
  #open = 0;
  #quiet: (() => void)[] = [];
  #spoiled: { readonly error: unknown } | undefined;

  constructor(client: Acquired) {
    this.#client = client;
  }

  /** True where the connection is of no use any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** The first error of the database, which does nothing more in the transaction until that is undone. */
  get spoiled(): { readonly error: unknown } | undefined {
    return this.#spoiled;
  }

  /** Goes with what else this turn asks for. Resolves to the command's tag. */
  ask(statement: Statement, take: (row: Row) => void = ignore): Promise<string> {
    return this.#ask(statement, take, ignore);
  }

  /** Asks for what undoes what spoiled the transaction: before any later answer is looked at, it is whole again. */
  restore(statement: Statement): Promise<string> {
    return this.#ask(statement, ignore, () => {
      this.#spoiled = undefined;
    });
  }

  #ask(statement: Statement, take: (row: Row) => void, done: () => void): Promise<string> {
    return new Promise((resolve, reject) => {
      const succeeded = (tag: string): void => {
        done();
        resolve(tag);
        this.#answered();
      };
      const failed = (thrown: unknown): void => {
        const error = this.failed(thrown);
        this.#spoiled ??= { error };
        reject(error);
        this.#answered();
      };
      this.#open += 1;
      const { length } = this.#asked;
      this.#asked.push({ ...statement, take, resolve: succeeded, reject: failed });
      // Behind the turn's promises: works that follow each other are one batch.
      if (length === 0) process.nextTick(() => this.flush());
    });
  }

  /** Sends what has been asked so far. */
  flush(): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    this.#asked = [];
    send(this.#client, asked);
  }

  /** Resolves when all that was asked has been answered. */
  quiet(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#quiet.push(resolve);
    });
  }

  /** Sends before it returns, by itself. */
  async query(text: string): Promise<pg.QueryResult> {
    return this.translated(() => this.#client.query(text));
  }

  async translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** The error as the port has it. */
  failed(error: unknown): unknown {
    if (leavesNothing(error)) this.#broken = true;
    return translateError(error);
  }

  /** The connection is not to be used again. */
  breakOff(): void {
    this.#broken = true;
  }

  #answered(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const resolve of this.#quiet.splice(0)) resolve();
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
