import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { PRINCIPAL_ACCOUNTS, SHARE_NOTICE } from '../capability/principal-names.js';

/**
 * The rows of JmapTask: work that the server does after a commit, at least once. Any server of the
 * database may take a task. It holds the task for a while, and another one takes it over if that
 * server ends.
 */

/** A task that this server holds. */
export interface TaskRow {
  readonly accountId: string;
  readonly id: string;
  readonly kind: string;
  /** JSON. */
  readonly payload: string;
  /** How often it was begun, this time included. */
  readonly attempt: number;
}

type TaskAttempt = Pick<TaskRow, 'accountId' | 'id' | 'attempt'>;

/** Tasks that are left to do. */
export interface TaskCounts {
  readonly waiting: number;
  /** Those of them that have failed at least once. */
  readonly failing: number;
}

/** Tasks of a kind that are left to do. */
export interface KindCounts extends TaskCounts {
  readonly kind: string;
}

/** A period of work that is done by one of all servers has a note in JmapMeta. */
const PERIOD = 'period:';
/** By how much clocks of servers may differ, ms. */
const CLOCKS = 60_000;

interface TakeOptions {
  readonly now: number;
  /** Null: tasks that are due far ahead stay. */
  readonly longestPause: number | null;
  readonly limit: number;
  /** Ids of tasks that this server still works at. */
  readonly except: readonly string[];
}

/** Notes of changed rights are no work of hooks. */
const OF_HOOKS = Object.freeze({ kind: { not: SHARE_NOTICE } });

export class TaskRows {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Takes up to `limit` tasks that are due, those first that are due longest. `holds` has their
   * kinds, each with the time after which such a task is due again, ms. Also takes tasks that are
   * due further ahead than their hold and `longestPause` (ms): only a wrong clock writes that.
   */
  async take(
    holds: ReadonlyMap<string, number>,
    { now, longestPause, limit, except }: TakeOptions,
  ): Promise<readonly TaskRow[]> {
    if (holds.size === 0) return [];
    const tasks = this.#prisma.jmapTask;
    const id = { notIn: [...except] };
    const found = await tasks.findMany({
      where: { id, due: { lte: BigInt(now) }, kind: { in: [...holds.keys()] } },
      orderBy: { due: 'asc' },
      take: limit,
    });
    // Two statements: each reads a range of the index.
    if (longestPause !== null && found.length < limit) {
      const beyondAnyPause = [...holds].map(([kind, hold]) => ({
        kind,
        due: { gt: BigInt(now + longestPause + hold) },
      }));
      found.push(
        ...(await tasks.findMany({
          where: { id, OR: beyondAnyPause },
          take: limit - found.length,
        })),
      );
    }
    const taken: TaskRow[] = [];
    for (const { accountId, id, kind, payload, attempts, due } of found) {
      // Another server may have taken it meanwhile.
      const { count } = await tasks.updateMany({
        where: { accountId, id, due },
        data: { due: BigInt(now + (holds.get(kind) ?? 0)), attempts: attempts + 1n },
      });
      if (count === 1) taken.push({ accountId, id, kind, payload, attempt: Number(attempts) + 1 });
    }
    return taken;
  }

  /** Gives tasks back that were taken and not begun. */
  async release(tasks: readonly TaskRow[], now: number): Promise<void> {
    for (const task of tasks)
      await this.#change(task, { due: BigInt(now), attempts: BigInt(task.attempt - 1) });
  }

  /** The task is done: that ends it for a server that has taken it over meanwhile, too. */
  async finish({ accountId, id }: Pick<TaskRow, 'accountId' | 'id'>): Promise<void> {
    await this.#prisma.jmapTask.deleteMany({ where: { accountId, id } });
  }

  /** The task has failed, and is due again at `due`. */
  postpone(task: TaskAttempt, due: number, error: string): Promise<void> {
    return this.#change(task, { due: BigInt(due), error });
  }

  /** Changes a task that nobody has taken over since. */
  async #change(
    { accountId, id, attempt }: TaskAttempt,
    data: { readonly due: bigint; readonly attempts?: bigint; readonly error?: string },
  ): Promise<void> {
    const where = { accountId, id, attempts: BigInt(attempt) };
    await this.#prisma.jmapTask.updateMany({ where, data });
  }

  /** Returns accounts for which notes of changed rights are kept that nobody has taken. */
  async accountsWithNotices(limit: number): Promise<readonly string[]> {
    const found = await this.#prisma.jmapTask.groupBy({
      by: ['accountId'],
      // By the key: tasks of other accounts aren't read.
      where: { kind: SHARE_NOTICE, accountId: PRINCIPAL_ACCOUNTS },
      orderBy: { accountId: 'asc' },
      take: limit,
    });
    return found.map(({ accountId }) => accountId);
  }

  /** Forgets all tasks of a kind: no hook does them. Returns how many there were. */
  async drop(kind: string): Promise<number> {
    const where = { AND: [OF_HOOKS, { kind }] };
    return (await this.#prisma.jmapTask.deleteMany({ where })).count;
  }

  /** Returns the kinds of all tasks, with their counts, by name. */
  async kinds(): Promise<readonly KindCounts[]> {
    const kinds = await this.#prisma.jmapTask.groupBy({
      by: ['kind'],
      where: OF_HOOKS,
      // Nulls don't count.
      _count: { id: true, error: true },
      orderBy: { kind: 'asc' },
    });
    return kinds.map(({ kind, _count: { id, error } }) => ({ kind, waiting: id, failing: error }));
  }

  async count(): Promise<TaskCounts> {
    const waiting = await this.#prisma.jmapTask.count({ where: OF_HOOKS });
    const failing = await this.#prisma.jmapTask.count({
      where: { ...OF_HOOKS, error: { not: null } },
    });
    return { waiting, failing };
  }

  /**
   * Returns 0 for the one server that is to do the work in the period that begins now; for others
   * the time until the next period, ms. A period that begins far ahead was noted by a wrong clock.
   */
  async beginPeriod(name: string, now: number, period: number): Promise<number> {
    const key = `${PERIOD}${name}`;
    const note = await this.#prisma.jmapMeta.findUnique({ where: { key } });
    if (note === null) {
      try {
        await this.#prisma.jmapMeta.create({ data: { key, value: String(now) } });
        return 0;
      } catch (error) {
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
          return period;
        throw error;
      }
    }
    const left = Number(note.value) + period - now;
    if (left > 0 && left <= period + CLOCKS) return left;
    const { count } = await this.#prisma.jmapMeta.updateMany({
      where: { key, value: note.value },
      data: { value: String(now) },
    });
    return count === 1 ? 0 : period;
  }
}
