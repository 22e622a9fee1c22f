import type pg from 'pg';
import { type Ask, send } from '../../database/postgresql/batch.js';
import {
  isAnswer,
  isLost,
  isStale,
  isUnavailable,
  lateError,
  translateError,
} from '../../database/postgresql/errors.js';
import { inTransaction } from '../../database/postgresql/hook-prisma.js';
import type { PoolClient } from '../../database/postgresql/pool.js';
import { Serial } from '../../database/serial.js';
import { MethodError, UnknownOutcomeError } from '../../protocol/errors.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import type { ReadAhead } from './ahead.js';
import { postgresql } from './dialect.js';
import { GRACE, isNear, LONGEST, setUp, timeoutOf, timeoutSettings } from './session.js';
import { composed, type Parameter, prepared, recurring, type Statement } from './statement.js';

const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
// Each statement sees what is committed before it: what the lock was waited for, too.
const WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
// A statement of its own before anything is read: one that locked and read would read what was there
// before it waited.
const LOCK = 'SELECT 1 FROM "JmapAccount" WHERE "id" = $1 FOR UPDATE';

export interface ConnectionOptions {
  readonly deadline: number;
  /** The account that is locked for writing; without it, the transaction reads. */
  readonly writes?: string;
  /**
   * What reads is expected to ask for all at once: no transaction is begun, and what is asked for later
   * fails with LaterError.
   */
  readonly once?: boolean;
  /** What works that wait for this transaction will read. */
  readonly ahead?: ReadAhead;
  /** Each statement waits for the one before: hooks read on the connection, too. */
  readonly serial?: boolean;
  readonly onStatement: ((sql: string) => void) | undefined;
  /** Takes the connection back. */
  readonly release: (broken: boolean) => void;
}

/** A work that was expected to read once wants more: it has to begin anew, in a transaction. */
export class LaterError extends Error {}

/**
 * A connection of the pool in one transaction. What works ask for in one turn is sent together at its
 * end (batch.ts), whether or not what was sent before has been answered (the server answers in order).
 * So BEGIN, the account's lock and the first read are one round trip; what a write answers is looked
 * at by `settled` and `commit`. Every statement has a time-out on the server, to the deadline of the
 * call; one that goes on in spite of it (the network is gone) loses its connection. Errors come out as
 * the port has them (UnavailableError).
 */
export class Connection {
  /**
   * Where the account is locked: the states that its types have in this transaction, by table. What is undone
   * gets another map: an answer that comes late must not be taken for what is there.
   */
  states: Map<string, number> = new Map();
  readonly ahead: ReadAhead | undefined;
  readonly #client: PoolClient;
  readonly #options: ConnectionOptions;
  readonly #serial: Serial | undefined;
  #deadline: number;
  #guard: NodeJS.Timeout | undefined;
  /** The time-out that statements have at the moment, ms. */
  #timeout: number;
  readonly #begun: Promise<unknown>;
  /** What is sent at the end of this turn. */
  #asked: Ask[] = [];
  /** The statements of a connection that is asked once have been sent. */
  #sent = false;
  #ready = false;
  #broken = false;
  /** What runs on in spite of the end must not run outside of the transaction. */
  #ended = false;
  /** Statements that have not been answered, and who waits for all their answers. */
  #open = 0;
  #quiet: (() => void)[] = [];
  /** The first error of the database, which does nothing more in the transaction until that is undone. */
  #spoiled: { readonly error: unknown } | undefined;
  /** The savepoint that the running work has or will have; none where it is the first. */
  #savepoint: number | undefined;
  /** The savepoint that there is. */
  #made: number | undefined;
  /** The running work has sent something that writes; any work has. */
  #works = false;
  #wrote = false;

  /** Begins, and locks the account. */
  constructor(client: PoolClient, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.ahead = options.ahead;
    this.#deadline = options.deadline;
    this.#serial = options.serial === true ? new Serial() : undefined;
    this.#arm();
    const left = Math.max(1, this.#rest());
    const setting = setUp(client, left);
    this.#timeout = timeoutOf(client);
    const settled = setting && this.#translated(() => setting);
    const begun =
      options.once === true ? null : this.#control(options.writes === undefined ? READ : WRITE);
    const locked = options.writes === undefined ? null : this.#lock(options.writes);
    this.#begun = Promise.all([settled, begun, locked]);
    this.#begun.then(
      () => {
        this.#ready = true;
      },
      () => undefined,
    );
  }

  /** True once something has been sent that writes. */
  get wrote(): boolean {
    return this.#wrote;
  }

  /** True where the connection is of no use any more. */
  get broken(): boolean {
    return this.#broken;
  }

  /** What the database has refused in the transaction: nothing else of it can be done or kept. */
  get spoiled(): { readonly error: unknown } | undefined {
    return this.#spoiled;
  }

  /** Resolves when the transaction has begun and holds the account. */
  async begun(): Promise<void> {
    await this.#begun;
  }

  /** All rows of a fixed statement, which each connection prepares once. */
  async all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#rows(prepared(text, parameters));
  }

  /** All rows of a composed statement. */
  async query(fragment: Fragment): Promise<readonly Row[]> {
    return this.#rows(recurring(render(fragment, postgresql.placeholder), fragment));
  }

  /**
   * Sends a fixed statement that writes and gives no rows. Where it fails, so does the transaction, at
   * its end at the latest.
   */
  async write(text: string, ...parameters: readonly Parameter[]): Promise<void> {
    // Never outside of a transaction: where BEGIN failed nothing that writes is sent.
    if (!this.#ready) await this.#begun;
    this.#toWrite();
    const answer = this.#run(prepared(text, parameters), ignore);
    if (this.#serial !== undefined) await answer;
    else this.#later(answer);
  }

  /** The rows of a fixed statement that writes. */
  async writing(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    if (!this.#ready) await this.#begun;
    this.#toWrite();
    return this.all(text, ...parameters);
  }

  /** The number of rows that a composed statement changed. */
  async change(fragment: Fragment): Promise<number> {
    if (!this.#ready) await this.#begun;
    this.#toWrite();
    const text = render(fragment, postgresql.placeholder);
    const tag = await this.#run(composed(text, fragment.values), ignore);
    return Number(tag.slice(tag.lastIndexOf(' ') + 1));
  }

  /** True where writes need not be waited for. */
  get pipelined(): boolean {
    return this.#serial === undefined && this.#options.writes !== undefined;
  }

  /** Calls `each` for every row as it comes; where that throws, the rest is not kept. */
  async each(
    text: string,
    parameters: readonly Parameter[],
    each: (row: Row) => void,
  ): Promise<void> {
    await this.#each(prepared(text, parameters), each);
  }

  /** The same of a composed statement. */
  async eachOf(fragment: Fragment, each: (row: Row) => void): Promise<void> {
    const text = render(fragment, postgresql.placeholder);
    await this.#each(recurring(text, fragment), each);
  }

  async #each(statement: Statement, each: (row: Row) => void): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    await this.#run(statement, (row) => {
      if (failure !== undefined) return;
      try {
        each(row);
      } catch (error) {
        failure = { error };
      }
    });
    if (failure !== undefined) throw failure.error;
  }

  /** A statement of the engine itself, which `onStatement` does not hear of. */
  async control(text: string): Promise<void> {
    await this.#guarded(() => this.#control(text));
  }

  /** Runs a work in whose hooks Prisma may read on this connection. */
  join<T>(work: () => Promise<T>): Promise<T> {
    if (this.#serial === undefined) return work();
    return inTransaction(this.#client, this.#serial, work);
  }

  /** Throws where the call's time is over. */
  checkDeadline(): void {
    if (performance.now() > this.#deadline) throw lateError();
  }

  /**
   * From now on another work's statements: with that work's deadline, and with a savepoint of this
   * number before its first write, unless nothing has been written before it.
   */
  enter(deadline: number, savepoint: number | undefined): void {
    this.#deadline = deadline;
    this.#savepoint = savepoint;
    this.#works = false;
  }

  /** Makes the running work's savepoint before it reads: a read that fails spoils the transaction, too. */
  mark(): void {
    if (this.#savepoint === undefined || this.#made === this.#savepoint) return;
    if (this.#made !== undefined) this.#later(this.#control(`RELEASE w${this.#made}`));
    this.#made = this.#savepoint;
    // A name of its own: where the savepoint could not be made, nothing goes back to an earlier one.
    this.#later(this.#control(`SAVEPOINT w${this.#made}`));
  }

  /**
   * Undoes what the running work has written, and what the database refused of it; false where only the
   * whole transaction can be undone.
   */
  undo(): boolean {
    if (!this.#works && this.#spoiled === undefined) return true;
    if (this.#savepoint === undefined || this.#made !== this.#savepoint) return false;
    this.ahead?.clear();
    // What was set since the savepoint is undone with it.
    this.#timeout = 0;
    const undo = composed(`ROLLBACK TO w${this.#savepoint}`, []);
    this.#later(
      this.#ask(undo, ignore, () => {
        this.#spoiled = undefined;
      }),
    );
    return true;
  }

  /** Resolves when all that was asked has been answered. */
  quiet(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#quiet.push(resolve);
    });
  }

  /** Ends a transaction that wrote nothing; rejects where it did not hold the account. */
  async leave(): Promise<void> {
    try {
      await this.#begun;
    } finally {
      await this.rollback();
    }
  }

  /**
   * Commits and gives the connection back. UnknownOutcomeError: it was lost before the server
   * answered; after any other error nothing is committed.
   */
  async commit(): Promise<void> {
    let sent = false;
    try {
      const commit = this.#guarded(() => {
        this.#ended = true;
        sent = true;
        this.#flush();
        return this.#translated(() => this.#client.query('COMMIT'));
      });
      const [{ command, reason }] = await Promise.all([outcome(commit), this.quiet()]);
      // What failed behind a savepoint was undone. A statement that failed otherwise makes a rollback
      // of the commit, which says so by its tag.
      if (command === 'COMMIT') return;
      const failure = this.#spoiled?.error;
      const error = failure ?? reason ?? new Error('The transaction was rolled back.');
      if (command !== 'ROLLBACK') this.#broken = true;
      if (sent && isLost(error) && !(failure !== undefined && isAnswer(failure)))
        throw new UnknownOutcomeError('The connection broke while committing.', { cause: error });
      throw error;
    } finally {
      this.#release();
    }
  }

  /** Ends the transaction without its changes, and gives the connection back. */
  async rollback(): Promise<void> {
    this.#ended = true;
    const end = async (): Promise<void> => {
      this.#flush();
      if (this.#options.once !== true && !this.#broken) await this.#client.query('ROLLBACK');
    };
    try {
      await (this.#serial === undefined ? end() : this.#serial.run(end));
    } catch {
      this.#broken = true;
    } finally {
      await this.quiet();
      this.#release();
    }
  }

  /** The lock follows BEGIN at once. */
  async #lock(accountId: string): Promise<void> {
    const rows: Row[] = [];
    await this.#ask(prepared(LOCK, [accountId]), (row) => rows.push(row));
    // Deleted since the request was let in: nothing may be written that nobody would remove.
    if (rows.length === 0)
      throw new MethodError('accountNotFound', 'The account has been deleted.');
  }

  /** Before anything that writes. */
  #toWrite(): void {
    this.#wrote = true;
    if (this.#works) return;
    this.#works = true;
    this.mark();
  }

  /** What fails of it spoils the transaction. */
  #later(answer: Promise<unknown>): void {
    answer.catch(() => undefined);
  }

  async #rows(statement: Statement): Promise<readonly Row[]> {
    const rows: Row[] = [];
    await this.#run(statement, (row) => rows.push(row));
    return rows;
  }

  /** Resolves to the command's tag. */
  #run(statement: Statement, take: (row: Row) => void): Promise<string> {
    this.#options.onStatement?.(statement.text);
    return this.#guarded(() => this.#ask(statement, take));
  }

  #guarded<T>(work: () => Promise<T>): Promise<T> {
    const turn = (): Promise<T> => {
      if (this.#ended) throw new Error('The transaction of a storage operation has ended.');
      if (this.#sent) throw new LaterError('A work that was to ask once asks again.');
      this.#renew();
      return work();
    };
    return this.#serial === undefined ? promised(turn) : this.#serial.run(turn);
  }

  /** BEGIN, a savepoint: as good as prepared. */
  #control(text: string): Promise<unknown> {
    return this.#ask(composed(text, []), ignore);
  }

  /** Goes with what else this turn asks for. `done` is called before any later answer is looked at. */
  #ask(statement: Statement, take: (row: Row) => void, done: () => void = ignore): Promise<string> {
    return new Promise((resolve, reject) => {
      const succeeded = (tag: string): void => {
        done();
        resolve(tag);
        this.#answered();
      };
      const failed = (thrown: unknown): void => {
        const error = this.#failed(thrown);
        if (this.#options.once !== true) this.#spoiled ??= { error };
        reject(error);
        this.#answered();
      };
      this.#open += 1;
      const { length } = this.#asked;
      this.#asked.push({ ...statement, take, resolve: succeeded, reject: failed });
      // Behind the turn's promises: works that follow each other are one batch.
      if (length === 0) process.nextTick(() => this.#flush());
    });
  }

  #answered(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const resolve of this.#quiet.splice(0)) resolve();
  }

  #flush(): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    this.#asked = [];
    this.#sent = this.#options.once === true;
    send(this.#client, asked);
  }

  /** Sends before it returns. */
  async #translated<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): unknown {
    if (leavesNothing(error)) this.#broken = true;
    return translateError(error);
  }

  /** The time-out is of each statement: brought up to date when it has become far from right. */
  #renew(): void {
    const left = this.#left();
    // What is asked at once began with the right one.
    if (this.#options.once === true || isNear(this.#timeout, left)) return;
    this.#timeout = left;
    for (const setting of timeoutSettings(left)) this.#later(this.#control(`SET LOCAL ${setting}`));
  }

  #left(): number {
    const left = this.#rest();
    if (left <= 0) throw lateError();
    return left;
  }

  #rest(): number {
    return Math.min(Math.ceil(this.#deadline - performance.now()), LONGEST);
  }

  #arm(): void {
    const left = this.#deadline - performance.now() + GRACE;
    if (left >= LONGEST) return;
    this.#guard = setTimeout(() => {
      // Another work's turn meanwhile, with a deadline of its own.
      if (performance.now() < this.#deadline + GRACE) this.#arm();
      else this.#cut();
    }, left);
  }

  #cut(): void {
    this.#broken = true;
    // Ends what waits for an answer on it with an error. The driver's own end would wait for answers.
    (this.#client as unknown as pg.Client).connection.stream.destroy();
  }

  #release(): void {
    clearTimeout(this.#guard);
    this.#options.release(this.#broken);
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

async function promised<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}

async function outcome(
  commit: Promise<pg.QueryResult>,
): Promise<{ readonly command?: string; readonly reason?: unknown }> {
  try {
    return { command: (await commit).command };
  } catch (reason) {
    return { reason };
  }
}
