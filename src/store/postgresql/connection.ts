import { isAnswer, isLost } from '../../database/postgresql/driver-errors.js';
import type { HookTransactions } from '../../database/postgresql/hook-prisma.js';
import type { Acquired } from '../../database/postgresql/pool.js';
import { MethodError, UnknownOutcomeError } from '../../protocol/errors.js';
import { Serial } from '../../runtime/serial.js';
import type { Trace } from '../port.js';
import { type Fragment, render } from '../sql/fragment.js';
import type { Row } from '../sql/row-codec.js';
import type { ReadAhead } from './ahead.js';
import { Asking } from './asking.js';
import { Deadline } from './deadline.js';
import { postgresql } from './dialect.js';
import { composed, type Parameter, prepared, recurring, type Statement } from './statement.js';

const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
// Each statement sees what is committed before it: what the lock was waited for, too.
const WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
// The lock is a statement of its own before any read: a statement that locked and read would see
// the data from before its wait.
const LOCK = 'SELECT 1 FROM "JmapAccount" WHERE "id" = $1 FOR UPDATE';

export interface ConnectionOptions {
  readonly deadline: number;
  /** The account that is locked for writing; without it, the transaction reads. */
  readonly writes?: string;
  /** The work asks for everything at once: no transaction is begun. */
  readonly once?: boolean;
  /** The longest time that a statement may take, ms: others wait for its answer. */
  readonly longest?: number;
  /** The reads that other works waiting for this transaction will do. */
  readonly ahead?: ReadAhead;
  /** Each statement waits for the one before: hooks read on the connection, too. */
  readonly serial?: boolean;
  /** Where Prisma finds the transactions of works that wait for hooks. */
  readonly transactions: HookTransactions;
  readonly onStatement: ((sql: string) => void) | undefined;
}

/**
 * A connection of the pool in one transaction. It sends the statements of one turn together at its
 * end (batch.ts), without waiting for earlier answers (the server answers in order). So BEGIN, the
 * account's lock and the first read are one round trip; `quiet` and `commit` look at the answers of
 * writes. The server limits every statement to the call's deadline. A statement that goes on in
 * spite of that (the network is gone) loses its connection. Errors are the port's
 * (UnavailableError).
 */
export class Connection {
  /** The types' states here, by table; null if others may change them, or if hooks read them. */
  readonly states: Map<string, number> | null;
  readonly ahead: ReadAhead | undefined;
  /** Of the work whose statements come now, where it is explained. */
  trace: Trace | null = null;
  readonly asking: Asking;
  /** Resolves when the transaction has begun and holds the account. */
  readonly begun: Promise<unknown>;
  readonly #client: Acquired;
  readonly #options: ConnectionOptions;
  readonly #serial: Serial | undefined;
  readonly #deadline: Deadline;
  #ready = false;
  /** Set at the end: a work that runs on must not send outside of the transaction. */
  #ended = false;
  /** The number of the work that runs: the first, the second ... */
  #work = 1;
  /** The last work that has sent something that writes. */
  #writer = 0;

  /** Begins, and locks the account. */
  constructor(client: Acquired, options: ConnectionOptions) {
    const { once = false, writes, longest = Infinity, serial = false } = options;
    this.#client = client;
    this.#options = options;
    this.ahead = options.ahead;
    this.states = writes === undefined || serial ? null : new Map();
    this.asking = new Asking(client);
    this.#deadline = new Deadline(options.deadline, () => this.#cut());
    this.#serial = serial ? new Serial() : undefined;
    const begin = prepared(writes === undefined ? READ : WRITE, []);
    const begun = once ? null : this.asking.ask(begin);
    const timed = this.asking.ask(this.#deadline.begin(longest));
    const locked = writes === undefined ? null : this.#lock(writes);
    this.begun = Promise.all([begun, timed, locked]);
    this.begun.then(
      () => {
        this.#ready = true;
      },
      () => undefined,
    );
  }

  /** Runs a work in whose hooks Prisma may read on this connection. */
  join<T>(work: () => Promise<T>): Promise<T> {
    if (this.#serial === undefined) return work();
    return this.#options.transactions.run(this.#client, this.#serial, work);
  }

  /** Throws where the call's time is over. */
  check(): void {
    this.#deadline.check();
  }

  /** From now on the next work's statements, with its deadline. */
  enter(deadline: number): void {
    this.#deadline.move(deadline);
    this.#work += 1;
  }

  /** Returns whether the running work has sent something that writes. */
  get hasWritten(): boolean {
    return this.#writer === this.#work;
  }

  /**
   * Commits the writes and gives the connection back. Without writes it still rejects if the
   * transaction did not hold the account. UnknownOutcomeError: the connection was lost before the
   * server answered; after any other error nothing is committed.
   */
  async commit(): Promise<void> {
    if (this.#writer === 0) {
      await this.rollback();
      await this.begun;
      return;
    }
    let tag = '';
    let isSent = false;
    let failure: unknown = new Error('The transaction was rolled back.');
    try {
      tag = await this.#guarded(() => {
        isSent = true;
        return this.#end('COMMIT');
      });
    } catch (error) {
      this.asking.breakOff();
      failure = error;
    }
    this.#release();
    // A statement that failed makes a rollback of the commit, which says so by its tag.
    if (tag === 'COMMIT') return;
    const error = this.asking.spoiled?.error ?? failure;
    // Without the server's answer the outcome is unknown, whatever ended the connection (such as a
    // broken TLS record). If the server refused an earlier statement, nothing is committed.
    const isUnknown = isLost(error) || (isSent && tag === '' && !isAnswer(failure));
    if (isUnknown && (error === failure || !isAnswer(error)))
      throw new UnknownOutcomeError('The connection broke while committing.', { cause: error });
    throw error;
  }

  /** Ends the transaction without its changes, and gives the connection back. */
  async rollback(): Promise<void> {
    const end = async (): Promise<void> => {
      if (this.#options.once !== true && !this.asking.broken) await this.#end('ROLLBACK');
    };
    this.#ended = true;
    try {
      await (this.#serial === undefined ? end() : this.#serial.run(end));
    } catch {
      this.asking.breakOff();
    }
    await this.asking.quiet();
    this.#release();
  }

  /** Sends `text` apart and unprepared: the server skips statements sent with one that fails. */
  #end(text: 'COMMIT' | 'ROLLBACK'): Promise<string> {
    this.#ended = true;
    this.asking.flush();
    return this.asking.ask(composed(text, []));
  }

  /** The lock follows BEGIN at once. */
  async #lock(accountId: string): Promise<void> {
    const tag = await this.asking.ask(prepared(LOCK, [accountId]));
    if (tag !== 'SELECT 0') return;
    // Deleted since the request was let in: nothing may be written that nobody would remove.
    const error = new MethodError('accountNotFound', 'The account has been deleted.');
    this.asking.spoil(error);
    throw error;
  }

  /** Returns all rows of a fixed statement, which each connection prepares once. */
  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.rows(prepared(text, parameters));
  }

  /** Returns all rows of a composed statement. */
  query(fragment: Fragment): Promise<readonly Row[]> {
    return this.rows(recurring(fragment));
  }

  async rows(statement: Statement): Promise<readonly Row[]> {
    const rows: Row[] = [];
    await this.#run(statement, (row) => rows.push(row));
    return rows;
  }

  /** Calls `each` for every row as it comes; where that throws, the rest is not kept. */
  async each(statement: Statement, each: (row: Row) => void): Promise<void> {
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

  /**
   * Sends a fixed statement that writes and gives no rows. Waits for its answer only if hooks wait;
   * a failure fails the transaction, at its end at the latest.
   */
  write(text: string, ...parameters: readonly Parameter[]): Promise<void> {
    return this.#writing(async () => {
      const answer = this.#run(prepared(text, parameters), ignore);
      if (this.#serial !== undefined) await answer;
      // The time may have ended before it was sent, of which the database knows nothing.
      else answer.catch((error: unknown) => this.asking.spoil(error));
    });
  }

  /** Returns the rows of a fixed statement that writes. */
  writing(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#writing(() => this.all(text, ...parameters));
  }

  /** Returns the rows of a composed statement that writes. */
  change(fragment: Fragment): Promise<readonly Row[]> {
    const text = render(fragment, postgresql.placeholder);
    const statement = composed(text, fragment.values as readonly Parameter[]);
    return this.#writing(() => this.rows(statement));
  }

  /**
   * Sends a write only after the transaction has begun, and never for a work that didn't wait for
   * it once the next work has its turn.
   */
  async #writing<T>(send: () => Promise<T>): Promise<T> {
    const work = this.#work;
    if (!this.#ready) await this.begun;
    if (work !== this.#work)
      throw new Error('A storage operation was to write after its work had ended.');
    this.#writer = work;
    return send();
  }

  /** Resolves to the command's tag. */
  #run(statement: Statement, take: (row: Row) => void): Promise<string> {
    this.#options.onStatement?.(statement.text);
    if (this.trace !== null) return this.#traced(this.trace, statement, take);
    return this.#guarded(() => this.asking.ask(statement, take));
  }

  async #traced(trace: Trace, statement: Statement, take: (row: Row) => void): Promise<string> {
    const { text: sql, values: parameters } = statement;
    const report = trace.noteStatement({ sql, parameters, inThread: false });
    let rows = 0;
    const counted = (row: Row): void => {
      rows += 1;
      take(row);
    };
    try {
      const tag = await this.#guarded(() => this.asking.ask(statement, counted));
      // The tag counts the rows of a write that gives none.
      report(rows === 0 ? rowsOf(tag) : rows);
      return tag;
    } catch (error) {
      report(null);
      throw error;
    }
  }

  /** Asks in the turn of it, while the transaction goes on. */
  async #guarded(ask: () => Promise<string>): Promise<string> {
    const turn = (): Promise<string> => {
      if (this.#ended) throw new Error('The transaction of a storage operation has ended.');
      // With `once` the first time-out stays right: it counts anew for each statement.
      const timeouts = this.#options.once === true ? null : this.#deadline.renew();
      // Where that fails, the transaction is spoiled.
      if (timeouts !== null) this.asking.ask(timeouts).catch(ignore);
      return ask();
    };
    return this.#serial === undefined ? turn() : this.#serial.run(turn);
  }

  #cut(): void {
    this.asking.breakOff();
    // Rejects what waits for an answer on it. The driver's own end would wait for answers.
    this.#client.socket.destroy();
  }

  #release(): void {
    this.#deadline.end();
    this.#client.release(this.asking.broken);
  }
}

/** Of a command's tag, such as `INSERT 0 3`. */
function rowsOf(tag: string): number {
  return Number(/ (\d+)$/.exec(tag)?.[1] ?? 0);
}

function ignore(): void {
  // Nothing that the statement gives is needed.
}
