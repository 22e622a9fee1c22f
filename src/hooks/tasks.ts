import type { LivingAccount, LivingAccounts } from '../accounts/principal.js';
import type { JobCall } from '../capability/capability-hooks.js';
import type { Services } from '../methods/context.js';
import { HookTimeoutError, namedFailure } from '../methods/hook-errors.js';
import type { Log } from '../runtime/log.js';
import { HookBudget } from './budget.js';
import { CONVERTING } from './convert-kept.js';
import { runEffect } from './effects.js';
import type { RegistryHooks } from './runner.js';
import type { HookServices } from './scope.js';
import { type AccountHook, accountHooksOf, effectsOf, type JobHook, jobsOf } from './task-kinds.js';

/** A task that this server holds. */
export interface HeldTask {
  readonly accountId: string;
  readonly id: string;
  readonly kind: string;
  /** JSON. */
  readonly payload: string;
  /** How often it was begun, this time included. */
  readonly attempt: number;
}

export interface TakeOptions {
  readonly now: number;
  /**
   * Also takes tasks that are due further ahead than this and their hold, ms: only a wrong clock
   * writes that. Null: leaves them.
   */
  readonly longestPause: number | null;
  readonly limit: number;
  /** Ids of tasks that this server still works at. */
  readonly except: readonly string[];
}

/** The rows of tasks, and the notes of periods: database/task-rows.ts implements it. */
export interface TaskStore {
  take(holds: ReadonlyMap<string, number>, how: TakeOptions): Promise<readonly HeldTask[]>;
  release(tasks: readonly HeldTask[], now: number): Promise<void>;
  finish(task: HeldTask): Promise<void>;
  postpone(task: HeldTask, due: number, error: string): Promise<void>;
  /** Resolves to 0 for the one server that does the work, or to the ms until the next period. */
  beginPeriod(name: string, now: number, period: number): Promise<number>;
}

export interface TaskOptions {
  readonly hooks: RegistryHooks;
  readonly services: Services;
  readonly hookServices: HookServices;
  readonly tasks: TaskStore;
  readonly accounts: LivingAccounts;
  /** REQUEST_TIMEOUT, ms: how long a transaction may wait for its turn. */
  readonly patience: number;
  readonly log: Log;
}

/** How often a server looks for tasks and periods, ms; at a period that lasts, once a minute. */
const PAUSE = 500;
const LONGEST_LOOK = 60_000;
/** How long it waits after a look that failed, ms. */
const AFTER_FAILURE = 5000;
/** Tasks of a kind that a server does at once: a kind that hangs holds no other one up. */
const AT_ONCE = 4;
/** A task is held for the time that its hook may take and this, ms. */
const MARGIN = 5000;
/** After a failure a task waits this long, ms, and twice as long after each further one. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 3_600_000;
const TASKS_FAILED = 'the tasks of hooks could not be read; it is tried again';

/** A hook that does the tasks of a kind. */
interface TaskKind {
  /** How long a task is held, ms. */
  readonly hold: number;
  /** How many of them run. */
  running: number;
  readonly run: (task: HeldTask, account: LivingAccount) => Promise<void>;
}

/**
 * Does what hooks leave to the server: durable `afterCommit`s, the seeds of new accounts, and jobs
 * at intervals. Several servers may share the work: a task is held by one of them.
 */
export class TaskWorker {
  readonly #options: TaskOptions;
  readonly #kinds: ReadonlyMap<string, TaskKind>;
  readonly #jobs: readonly JobHook[];
  #timer: NodeJS.Timeout | undefined;
  /** The search for work. It doesn't wait for that work: what is slow holds nothing else up. */
  #looking: Promise<void> | null = null;
  /** By job: when its next period may begin, by `performance.now()`. */
  readonly #periods = new Map<string, number>();
  readonly #runningJobs = new Map<string, Promise<void>>();
  /** By id. */
  readonly #runningTasks = new Map<string, Promise<void>>();
  /** When the next look is for tasks that a wrong clock has put far ahead, too. */
  #lookAhead = 0;
  /** The last search has left out kinds that have as much as may run at once. */
  #mayHaveMore = false;
  #isAwaited = false;
  #stopped = false;

  constructor(options: TaskOptions) {
    this.#options = options;
    const { registry } = options.hooks;
    this.#jobs = jobsOf(registry);
    const kinds = new Map<string, TaskKind>();
    for (const [kind, hook] of effectsOf(registry)) {
      const converts = registry.evolutions.some(({ table }) => table === hook.type.table);
      const hold = this.#timeOf(hook) + MARGIN + (converts ? CONVERTING : 0);
      kinds.set(kind, { hold, running: 0, run: (task) => runEffect(options, hook, task) });
    }
    for (const [kind, hook] of accountHooksOf(registry)) {
      // Its time begins when the account's lock is there.
      const hold = options.patience + this.#timeOf(hook) + MARGIN;
      kinds.set(kind, {
        hold,
        running: 0,
        run: (task, account) => this.#greet(hook, account, task.id),
      });
    }
    this.#kinds = kinds;
  }

  /** Begins. Does nothing more if no hook file asks for it. */
  start(): void {
    if (this.#kinds.size + this.#jobs.length > 0) this.#plan(0);
  }

  /** There may be a task. */
  wake(): void {
    this.#isAwaited = true;
    if (this.#looking === null) this.#plan(0);
  }

  /** From here on no work begins. */
  halt(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Resolves when the running work is done. */
  async stop(): Promise<void> {
    this.halt();
    await this.#looking;
    await Promise.all([...this.#runningJobs.values(), ...this.#runningTasks.values()]);
  }

  #plan(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .then(
          () => (this.#isAwaited ? 0 : PAUSE),
          (err: unknown) => {
            this.#options.log.error({ err }, TASKS_FAILED);
            return AFTER_FAILURE;
          },
        )
        .then((next) => {
          this.#looking = null;
          this.#plan(next);
        });
    }, pause);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#isAwaited = false;
    for (const job of this.#jobs)
      if (!this.#stopped && (await this.#beginPeriod(job)))
        this.#begin(this.#runningJobs, job.name, () => this.#runJob(job));
    while (await this.#takeTasks());
  }

  /** Resolves to whether this server is to run a job now. */
  async #beginPeriod({ name, every }: JobHook): Promise<boolean> {
    const now = performance.now();
    if (this.#runningJobs.has(name) || (this.#periods.get(name) ?? 0) > now) return false;
    const left = await this.#options.tasks.beginPeriod(name, Date.now(), every);
    this.#periods.set(name, now + Math.min(left, LONGEST_LOOK));
    return left === 0;
  }

  /** Begins tasks that are due. Resolves to whether there may be more to begin. */
  async #takeTasks(): Promise<boolean> {
    const { tasks } = this.#options;
    const open = [...this.#kinds].filter(([, { running }]) => running < AT_ONCE);
    this.#mayHaveMore = open.length < this.#kinds.size;
    if (open.length === 0) return false;
    // All that are taken may be of one kind.
    const limit = AT_ONCE - Math.max(...open.map(([, { running }]) => running));
    const now = Date.now();
    const isAhead = performance.now() >= this.#lookAhead;
    const taken = await tasks.take(new Map(open.map(([kind, { hold }]) => [kind, hold])), {
      ...{ now, limit, except: [...this.#runningTasks.keys()] },
      longestPause: isAhead ? LONGEST_PAUSE : null,
    });
    // A full page has left no room for them.
    if (isAhead && taken.length < limit) this.#lookAhead = performance.now() + LONGEST_LOOK;
    // Another server, or the next start, need not wait until they are held no more.
    if (this.#stopped) await tasks.release(taken, now);
    else for (const task of taken) this.#begin(this.#runningTasks, task.id, () => this.#run(task));
    return !this.#stopped && taken.length === limit;
  }

  /** Begins work, and notes it until it ends. */
  #begin(running: Map<string, Promise<void>>, name: string, work: () => Promise<void>): void {
    const ended = work()
      .catch((err: unknown) => this.#options.log.error({ err }, TASKS_FAILED))
      .finally(() => {
        running.delete(name);
        if (this.#mayHaveMore) this.wake();
      });
    running.set(name, ended);
  }

  #timeOf({ limit }: { readonly limit: number | null }): number {
    return limit ?? this.#options.hookServices.timeout;
  }

  async #run(task: HeldTask): Promise<void> {
    const { tasks, accounts, log } = this.#options;
    const { accountId, id, kind, attempt } = task;
    const how = this.#kinds.get(kind);
    if (how === undefined) throw new Error(`No hook does the tasks of ${kind}.`);
    how.running += 1;
    try {
      const account = await accounts.find(accountId);
      // Nothing is to be done for an account that has gone.
      if (account !== null) await how.run(task, account);
      await tasks.finish(task);
    } catch (error) {
      const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE);
      const what = { accountId, task: id, kind, attempt, seconds: Math.round(pause / 1000) };
      log.error({ err: error, ...what }, 'a task of a hook failed; it is tried again');
      await tasks.postpone(task, Date.now() + pause, String(error).slice(0, 1000));
    } finally {
      how.running -= 1;
    }
  }

  /** Runs an `accountCreated` in the transaction that forgets the task: exactly once. */
  async #greet(hook: AccountHook, account: LivingAccount, taskId: string): Promise<void> {
    const { hooks, services, patience } = this.#options;
    const { id: accountId, capabilities, ownerId: userId, name } = account;
    if (capabilities?.includes(hook.capability) === false) return;
    const created = Object.freeze({ id: accountId, name, ownerId: userId });
    const deadline = performance.now() + patience + this.#timeOf(hook);
    const call = { accountId, userId, what: hook.what, deadline };
    await hooks.runInAccount(services, call, async (scope, unit) => {
      if (!(await unit.transaction.endTask(taskId))) return;
      const run = hook.run as (...args: unknown[]) => unknown;
      await scope.run(hook, unit.transaction, (hookCall, tx) => run(created, hookCall, tx), unit);
    });
  }

  async #runJob(job: JobHook): Promise<void> {
    const { hookServices, log } = this.#options;
    const budget = new HookBudget(hookServices.timeout, Number.POSITIVE_INFINITY);
    try {
      await budget.run(job, async () => job.run(this.#jobCall(job, budget.signal)));
    } catch (error) {
      const err = error instanceof HookTimeoutError ? error : namedFailure(job.what, error);
      log.error({ err, job: job.name }, 'a job of a hook file failed');
    }
  }

  #jobCall(job: JobHook, signal: AbortSignal): JobCall {
    const { hookServices, accounts, hooks, services } = this.#options;
    const end = performance.now() + this.#timeOf(job);
    return Object.freeze({
      signal,
      prisma: hookServices.prisma,
      accounts: () => accounts.list(),
      inAccount: async (accountId, work) => {
        if ((await accounts.find(accountId)) === null) return null;
        try {
          return await hooks.workIn(services, job, { accountId, userId: '', end, signal })(work);
        } catch (error) {
          // Perhaps because somebody deletes the account meanwhile.
          if ((await accounts.find(accountId)) === null) return null;
          throw error;
        }
      },
    } satisfies JobCall);
  }
}
