import { isLost, isRetryable } from '../../database/postgresql/driver-errors.js';
import { UnknownOutcomeError } from '../../protocol/errors.js';
import { inTime, lateError } from '../../runtime/deadlines.js';
import type { StateChange } from '../port.js';
import { tellMoved } from '../sql/tell-moved.js';
import type { SqlTransaction } from '../sql/transaction.js';
import { ReadAhead } from './ahead.js';
import type { Connection } from './connection.js';
import { type Connections, retried } from './connections.js';
import { engine } from './engine.js';
import type { Waiting, WriteJob } from './lanes.js';

/** A group takes no further work when it has run so many, or for the host's `groupTime`. */
const GROUP_WORKS = 64;

/** The parts of the store that a group needs. */
export interface GroupHost {
  readonly connections: Connections;
  /** Others wait for its commit, ms. */
  readonly groupTime: number;
  open(connection: Connection, accountId: string): SqlTransaction<Connection>;
  announce(change: StateChange): void;
}

/** A work that has run. */
interface Done {
  /** Tells its caller what it came to, once the transaction is committed. */
  readonly answer: () => void;
  /** The principals who may reach other accounts since. */
  readonly moved: ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Runs works of one account that wait at the same time in one transaction with one commit. Each
 * sends its writes without waiting for answers; the next one follows at once. A work that throws
 * before it has written is refused by itself. If one throws later, or a statement fails, the
 * transaction is rolled back. The works then run again in order, each in its own transaction: then
 * a failure undoes only itself. An `alone` work shares with nobody.
 */
export async function runGroup(
  host: GroupHost,
  accountId: string,
  first: WriteJob,
  waiting: Waiting,
): Promise<void> {
  const end = performance.now() + host.groupTime;
  const jobs = [first];
  const next = (): WriteJob | undefined => {
    if (first.alone || jobs.length >= GROUP_WORKS || performance.now() >= end) return undefined;
    const job = waiting.takeShared();
    if (job !== undefined) jobs.push(job);
    return job;
  };
  try {
    await attempt(host, accountId, first, {
      next,
      ahead: new ReadAhead(() => waiting.expected()),
    });
  } catch (error) {
    // A transaction of its own tells whose failure it is. A lost connection fails all works. A work
    // that may be committed, or has done things elsewhere, never runs again.
    const isOver = !first.mayRepeat || isLost(error) || error instanceof UnknownOutcomeError;
    const runsAgain = !isOver && (jobs.length > 1 || isRetryable(error));
    for (const job of jobs) {
      if (runsAgain) await runAgain(host, accountId, job);
      else job.reject(error);
    }
  }
}

async function runAgain(host: GroupHost, accountId: string, job: WriteJob): Promise<void> {
  try {
    await retried(job.deadline, () => attempt(host, accountId, job));
  } catch (error) {
    job.reject(error);
  }
}

/** One transaction. Its works are settled; where it rejects, nothing of them is committed. */
async function attempt(
  host: GroupHost,
  accountId: string,
  first: WriteJob,
  others?: { readonly next: () => WriteJob | undefined; readonly ahead: ReadAhead },
): Promise<void> {
  const { deadline, alone } = first;
  const shared = others === undefined ? {} : { ahead: others.ahead };
  const demands = { deadline, ...(alone ? { serial: true, isLong: true } : shared) };
  const done = await host.connections.write(accountId, demands, async (connection) => {
    const ran = [await run(host, connection, accountId, first)];
    let latest = deadline;
    for (let job = others?.next(); job !== undefined; job = others?.next()) {
      connection.enter(job.deadline);
      ran.push(await run(host, connection, accountId, job));
      latest = Math.max(latest, job.deadline);
    }
    connection.enter(latest);
    await tellMoved(connection, engine.texts, new Set(ran.flatMap(({ moved }) => [...moved])));
    return ran;
  });
  for (const { answer } of done) answer();
}

/** Rejects where the transaction can't be kept: what the work did can't be undone by itself. */
async function run(
  host: GroupHost,
  connection: Connection,
  accountId: string,
  job: WriteJob,
): Promise<Done> {
  const transaction = host.open(connection, accountId);
  connection.trace = job.trace;
  try {
    const value = job.alone
      ? await runWithHooks(connection, job, transaction)
      : await job.work(transaction);
    const moved = await transaction.findMoved();
    transaction.end();
    transaction.assertWhole();
    // A failed read spoils the transaction, even if the work catches its error.
    if (connection.asking.spoiled !== undefined) throw connection.asking.spoiled.error;
    const { changed, news } = transaction;
    const answer = (): void => {
      // The lane goes on after this, so listeners hear of an account's states in order.
      if (changed !== undefined) host.announce({ accountId, changed, ...news });
      job.resolve(value);
    };
    return { answer, moved };
  } catch (thrown) {
    transaction.end();
    const isRefused = !connection.hasWritten && connection.asking.spoiled === undefined;
    if (isRefused && !connection.asking.broken && !isRetryable(thrown))
      return { answer: () => job.reject(thrown), moved: NOBODY };
    await connection.asking.quiet();
    // The database's error comes first: the work may have thrown because of it.
    throw connection.asking.spoiled?.error ?? thrown;
  } finally {
    connection.trace = null;
  }
}

/** The work waits for what no database watches over. */
async function runWithHooks(
  connection: Connection,
  { deadline, work }: WriteJob,
  transaction: SqlTransaction<Connection>,
): Promise<unknown> {
  await connection.begun;
  return connection.join(() => inTime(deadline, work(transaction), lateError));
}
