import { isRetryable, lateError } from '../../database/postgresql/errors.js';
import { MethodError, UnknownOutcomeError } from '../../protocol/errors.js';
import type { StateChange, Trace, Transaction } from '../port.js';
import type { SqlTransaction } from '../sql/transaction.js';
import { type Expected, ReadAhead } from './ahead.js';
import type { Connection } from './connection.js';
import type { Job, Waiting } from './lanes.js';
import { retryPause } from './retry.js';

/** A group takes no further work when it has run so many, or for the host's `groupTime`. */
const GROUP_WORKS = 64;

/** A write that waits for its turn. */
export interface WriteJob extends Job {
  /** Alone in its transaction, and never run again: it does things elsewhere. */
  readonly alone: boolean;
  readonly work: (transaction: Transaction) => Promise<unknown>;
  readonly expects: Expected | undefined;
  readonly trace: Trace | null;
  resolve(value: unknown): void;
}

/** What a group needs of the store. */
export interface GroupHost {
  /** Others wait for its commit, ms. */
  readonly groupTime: number;
  /** A connection that holds the account. */
  begin(accountId: string, deadline: number, ahead?: ReadAhead): Promise<Connection>;
  open(connection: Connection, accountId: string): SqlTransaction<Connection>;
  announce(change: StateChange): void;
}

/** What a work came to, if the group is committed. */
interface Ran {
  /** Tells the caller. */
  readonly settle: () => void;
  readonly failure?: { readonly error: unknown };
  /** The transaction can't be kept: what the work wrote can't be undone by itself. */
  readonly fatal?: true;
}

/** The works of one attempt. */
interface Group {
  readonly accountId: string;
  readonly next: () => WriteJob | undefined;
  /** Null for a careful attempt. */
  readonly ahead: ReadAhead | null;
}

interface Failed {
  /** In order; nothing of them is committed. */
  readonly jobs: readonly WriteJob[];
  readonly error: unknown;
}

/**
 * Works of one account that wait at the same time, in one transaction with one commit. Each sends what
 * it writes without waiting for answers; the next one follows at once. A work that throws is undone
 * to its savepoint. Where a statement fails in the database, the whole transaction is rolled back and
 * its works run again in order, each waiting for its answers: then what failed is undone by itself,
 * and the others stay.
 */
export async function runGroup(
  host: GroupHost,
  accountId: string,
  first: WriteJob,
  waiting: Waiting<WriteJob>,
): Promise<void> {
  const end = performance.now() + host.groupTime;
  let count = 1;
  const next = (): WriteJob | undefined => {
    if (count >= GROUP_WORKS || performance.now() >= end) return undefined;
    const job = waiting.take((each) => !each.alone);
    if (job !== undefined) count += 1;
    return job;
  };
  const ahead = new ReadAhead(() => expectedBy(waiting));
  let failed = await attempt(host, { accountId, next, ahead }, first);
  for (let lost = 0; failed !== undefined; ) {
    const { error } = failed;
    if (isRetryable(error)) {
      await retryPause(lost);
      lost += 1;
    }
    const jobs: WriteJob[] = [];
    for (const job of failed.jobs) {
      if (performance.now() <= job.deadline) jobs.push(job);
      else job.reject(lateError(error));
    }
    const again = jobs.shift();
    if (again === undefined) return;
    const careful = { accountId, next: () => jobs.shift(), ahead: null };
    failed = await attempt(host, careful, again);
  }
}

/**
 * One transaction. Its works are settled, but for those that it resolves to, which must run again.
 * Without `ahead` it is careful: each work's answers are waited for.
 */
async function attempt(
  host: GroupHost,
  { accountId, next, ahead }: Group,
  first: WriteJob,
): Promise<Failed | undefined> {
  const careful = ahead === null;
  let connection: Connection;
  try {
    connection = await host.begin(accountId, first.deadline, ahead ?? undefined);
  } catch (error) {
    // The others have their own time to wait for a connection.
    first.reject(error);
    return remaining(restOf(careful, next), error);
  }
  const jobs: WriteJob[] = [];
  const ran: Ran[] = [];
  for (let job: WriteJob | undefined = first; job !== undefined; job = next()) {
    jobs.push(job);
    // Where the first one fails there is nothing else to keep.
    connection.enter(job.deadline, jobs.length === 1 ? undefined : jobs.length);
    if (careful) connection.mark();
    const outcome = await run(host, connection, { accountId, careful }, job);
    ran.push(outcome);
    if (outcome.fatal === true || connection.broken) break;
  }
  const last = ran.at(-1);
  const fatal = last?.fatal === true || (connection.broken && connection.wrote);
  if (fatal && last?.failure !== undefined) {
    await connection.rollback();
    const { error } = last.failure;
    // Whose failure it is the careful attempt will tell.
    if (!careful && jobs.length > 1 && !connection.broken) return { jobs, error };
    const rest = restOf(careful, next);
    return afterFailure([...jobs, ...rest], jobs.length - 1, error, connection);
  }
  connection.enter(Math.max(...jobs.map(({ deadline }) => deadline)), undefined);
  try {
    await (connection.wrote ? connection.commit() : connection.leave());
  } catch (error) {
    return uncommitted(jobs, error, connection, careful);
  }
  for (const { settle } of ran) settle();
  return undefined;
}

function* expectedBy(waiting: Waiting<WriteJob>): Iterable<Expected> {
  for (const { alone, expects } of waiting.all())
    if (!alone && expects !== undefined) yield expects;
}

/** The transaction is gone because of one work: it is told so, the others run again. */
function afterFailure(
  jobs: readonly WriteJob[],
  at: number,
  error: unknown,
  connection: Connection,
): Failed | undefined {
  if (isRetryable(error)) return { jobs, error };
  for (const [index, job] of jobs.entries()) {
    if (index === at || connection.broken) job.reject(error);
  }
  return remaining(connection.broken ? [] : jobs.toSpliced(at, 1), error);
}

/** The commit has failed, or a statement before it. */
function uncommitted(
  jobs: readonly WriteJob[],
  error: unknown,
  connection: Connection,
  careful: boolean,
): Failed | undefined {
  const known = !(error instanceof UnknownOutcomeError);
  const again = isRetryable(error) || (jobs.length > 1 && !careful && !connection.broken);
  if (known && again && !(error instanceof MethodError)) return { jobs, error };
  for (const job of jobs) job.reject(error);
  return undefined;
}

/** The jobs that a careful attempt did not reach; after a first attempt they still wait in the queue. */
function restOf(careful: boolean, next: () => WriteJob | undefined): readonly WriteJob[] {
  const rest: WriteJob[] = [];
  if (!careful) return rest;
  for (let job = next(); job !== undefined; job = next()) rest.push(job);
  return rest;
}

function remaining(jobs: readonly WriteJob[], error: unknown): Failed | undefined {
  return jobs.length === 0 ? undefined : { jobs, error };
}

async function run(
  host: GroupHost,
  connection: Connection,
  { accountId, careful }: { readonly accountId: string; readonly careful: boolean },
  job: WriteJob,
): Promise<Ran> {
  const transaction = host.open(connection, accountId);
  const states = new Map(connection.states);
  // What a work that reads was refused spoils the transaction, even where it catches that.
  const whole = (): void => {
    if (connection.spoiled !== undefined) throw connection.spoiled.error;
  };
  connection.trace = job.trace;
  try {
    const value = await job.work(transaction);
    transaction.end();
    transaction.assertWhole();
    if (careful) {
      await connection.begun();
      await connection.quiet();
    }
    whole();
    const { changed } = transaction;
    const settle = (): void => {
      // The lane goes on after this, so listeners hear of an account's states in order.
      if (changed !== undefined) host.announce({ accountId, changed });
      job.resolve(value);
    };
    return { settle };
  } catch (thrown) {
    transaction.end();
    connection.states = states;
    // What it has left running may be refused yet.
    if (careful) await connection.quiet();
    const refused = connection.spoiled;
    const undone = connection.undo();
    if (careful || !undone) await connection.quiet();
    // What failed in the database comes first: the work may have thrown because of it.
    const reason = refused ?? (undone ? undefined : connection.spoiled);
    const error = undone && !careful ? thrown : (reason?.error ?? thrown);
    const settle = (): void => job.reject(error);
    const failure = { error };
    return undone && !isRetryable(error) ? { settle, failure } : { settle, failure, fatal: true };
  } finally {
    connection.trace = null;
  }
}
