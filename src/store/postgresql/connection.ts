import pg from 'pg';
import {
  isLost,
  isUnavailable,
  lateError,
  translateError,
} from '../../database/postgresql/errors.js';
import { inTransaction } from '../../database/postgresql/hook-prisma.js';
import { acquire, type Pool, type PoolClient } from '../../database/postgresql/pool.js';
import { engineTypes } from '../../database/postgresql/values.js';
import { Serial } from '../../database/serial.js';
import { UnknownOutcomeError } from '../../protocol/errors.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import { postgresql } from './dialect.js';

export type Parameter = string | number | null | readonly string[];

/** A server that does not stop a statement when told to loses its connection after this, ms. */
const GRACE = 2000;
/** The largest time-out that a server and a timer take, ms. */
const LONGEST = 2 ** 31 - 1;

/**
 * A connection of the pool in one transaction, which ends at the call's deadline: statements have a
 * time-out on the server, and one that goes on in spite of it (the network is gone) loses its
 * connection. Errors come out as the port has them (UnavailableError).
 */
export class Connection {
  readonly #client: PoolClient;
  readonly #deadline: number;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #guard: NodeJS.Timeout | undefined;
  /** One statement after the other: hooks may begin several at once, which the driver won't queue. */
  readonly #turns = new Serial();
  /** The time-out that statements have at the moment, ms. */
  #timeout = 0;
  #broken = false;
  /** What runs on in spite of the end must not run outside of the transaction. */
  #ended = false;

  private constructor(
    client: PoolClient,
    deadline: number,
    onStatement: ((sql: string) => void) | undefined,
  ) {
    this.#client = client;
    this.#deadline = deadline;
    this.#onStatement = onStatement;
    const left = deadline - performance.now() + GRACE;
    if (left < LONGEST) this.#guard = setTimeout(() => this.#cut(), left);
  }

  /** Takes a connection and begins; `how` is what BEGIN says, `also` statements in the same trip. */
  static async begin(
    pool: Pool,
    how: string,
    also: string,
    options: {
      readonly deadline: number;
      readonly onStatement: ((sql: string) => void) | undefined;
    },
  ): Promise<Connection> {
    const { deadline, onStatement } = options;
    try {
      const client = await acquire(pool, deadline);
      const connection = new Connection(client, deadline, onStatement);
      try {
        connection.#timeout = connection.#left();
        await client.query(`BEGIN ${how}; ${timeout(connection.#timeout)}; ${also}`);
      } catch (error) {
        connection.#broken = true;
        connection.#release();
        throw error;
      }
      return connection;
    } catch (error) {
      throw translateError(error);
    }
  }

  /** All rows of a fixed statement. */
  async all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return (await this.#run(text, parameters)).rows;
  }

  /** All rows of a composed statement. */
  query(fragment: Fragment): Promise<readonly Row[]> {
    return this.all(render(fragment, postgresql.placeholder), ...fragment.values);
  }

  /** Runs a statement that gives no rows; the number of rows it changed. */
  async run(text: string, ...parameters: readonly Parameter[]): Promise<number> {
    return (await this.#run(text, parameters)).rowCount ?? 0;
  }

  /** The same of a composed statement. */
  change(fragment: Fragment): Promise<number> {
    return this.run(render(fragment, postgresql.placeholder), ...fragment.values);
  }

  /** Calls `each` for every row as it comes; where that throws, the rest is not kept. */
  async each(
    text: string,
    parameters: readonly Parameter[],
    each: (row: Row) => void,
  ): Promise<void> {
    this.#onStatement?.(text);
    let failure: { readonly error: unknown } | undefined;
    await this.#guarded(
      () =>
        new Promise<void>((resolve, reject) => {
          const how = { ...config(text, parameters), rowMode: 'array' };
          const query = this.#client.query(new pg.Query<unknown[]>(how));
          query.on('row', (row: unknown) => {
            if (failure !== undefined) return;
            try {
              each(row as Row);
            } catch (error) {
              failure = { error };
            }
          });
          query.on('end', () => resolve());
          query.on('error', reject);
        }),
    );
    if (failure !== undefined) throw failure.error;
  }

  /** A statement of the transaction itself, which `onStatement` does not hear of. */
  async control(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    const result = await this.#guarded(() =>
      this.#client.query<unknown[]>({ ...config(text, parameters), rowMode: 'array' }),
    );
    return result.rows;
  }

  /** Runs a work in whose hooks Prisma may read on this connection. */
  join<T>(work: () => Promise<T>): Promise<T> {
    return inTransaction(this.#client, this.#turns, work);
  }

  /** Throws where the call's time is over. */
  checkDeadline(): void {
    if (performance.now() > this.#deadline) throw lateError();
  }

  /**
   * Commits and gives the connection back. UnknownOutcomeError: it was lost before the server
   * answered; after any other error nothing is committed.
   */
  async commit(): Promise<void> {
    let sent = false;
    try {
      // A statement that failed makes a rollback of it, which says so by its tag.
      const { command } = await this.#guarded(() => {
        this.#ended = true;
        sent = true;
        return this.#client.query('COMMIT');
      });
      if (command !== 'COMMIT') throw new Error('The transaction had failed, and was rolled back.');
    } catch (error) {
      this.#broken = true;
      if (sent && isLost(error))
        throw new UnknownOutcomeError('The connection broke while committing.', { cause: error });
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Ends the transaction without its changes, and gives the connection back. */
  async rollback(): Promise<void> {
    this.#ended = true;
    try {
      await this.#turns.run(async () => {
        if (!this.#broken) await this.#client.query('ROLLBACK');
      });
    } catch {
      this.#broken = true;
    } finally {
      this.#release();
    }
  }

  async #run(text: string, parameters: readonly Parameter[]): Promise<pg.QueryArrayResult> {
    this.#onStatement?.(text);
    return this.#guarded(() =>
      this.#client.query<unknown[]>({ ...config(text, parameters), rowMode: 'array' }),
    );
  }

  #guarded<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(() => this.#inTurn(work));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error('The transaction of a storage operation has ended.');
    try {
      const left = this.#left();
      // The time-out is of each statement: brought up to date when it has become far too long.
      if (left < this.#timeout / 2) {
        this.#timeout = left;
        await this.#client.query(timeout(left));
      }
      return await work();
    } catch (error) {
      // A statement's time-out leaves a connection that is as good as before.
      if (isUnavailable(error) && codeOf(error) !== '57014') this.#broken = true;
      throw translateError(error);
    }
  }

  #left(): number {
    const left = Math.ceil(this.#deadline - performance.now());
    if (left <= 0) throw lateError();
    return Math.min(left, LONGEST);
  }

  #cut(): void {
    this.#broken = true;
    // Ends what waits for an answer on it with an error.
    void (this.#client as unknown as pg.Client).end();
  }

  #release(): void {
    clearTimeout(this.#guard);
    this.#client.release(this.#broken);
  }
}

function timeout(milliseconds: number): string {
  return `SET LOCAL statement_timeout = ${milliseconds}`;
}

function config(text: string, parameters: readonly Parameter[]) {
  return { text, values: parameters.map(storable), types: engineTypes };
}

/**
 * No stored text has a U+0000 (D4), and none can be sent: what is stored nowhere either stands for
 * it.
 */
function storable(parameter: Parameter): string | number | null | string[] {
  if (parameter === null || typeof parameter === 'number') return parameter;
  return typeof parameter === 'string' ? withoutNul(parameter) : parameter.map(withoutNul);
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uffff') : text;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
