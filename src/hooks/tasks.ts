import type { LivingAccount, LivingAccounts } from '../accounts/principal.js';
import type { JobCall } from '../capability/capability-hooks.js';
import type { EffectCall } from '../capability/hooks.js';
import type { Services } from '../methods/context.js';
import { HookTimeoutError, namedFailure } from '../methods/hook-errors.js';
import type { Log } from '../runtime/log.js';
import { HookBudget } from './budget.js';
import { readKept } from './kept-changes.js';
import type { RegistryHooks } from './runner.js';
import type { HookServices } from './scope.js';
import {
  type AccountHook,
  accountHooksOf,
  type EffectHook,
  effectsOf,
  type JobHook,
  jobsOf,
} from './task-kinds.js';
import type { NamedHook } from './timed.js';

/** A task that this server holds. */
export interface HeldTask {
  readonly accountId: string;
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly attempt: number;
}

/** The rows of tasks, and the notes of periods: database/task-rows.ts implements it. */
export interface TaskStore {
  take(
    holds: ReadonlyMap<string, number>,
    how: {
      readonly now: number;
      readonly longestPause: number;
      readonly limit: number;
      readonly except: readonly string[];
    },
  ): Promise<readonly HeldTask[]>;
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
/** Tasks that a server does at once. */
const AT_ONCE = 8;
/** A task is held for the time that its hook may take and this, ms. */
const MARGIN = 5000;
/** After a failure a task waits this long, ms, and twice as long after each further one. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 3_600_000;
const TASKS_FAILED = 'the tasks of hooks could not be read; it is tried again';

/**
 * Does what hooks leave to the server: durable `afterCommit`s, the seeds of new accounts, and jobs
 * at intervals. Several servers may share the work: a task is held by one of them.
 */
export class TaskWorker {
  readonly #options: TaskOptions;
  readonly #effects: ReadonlyMap<string, EffectHook>;
  readonly #accountHooks: ReadonlyMap<string, AccountHook>;
  readonly #jobs: readonly JobHook[];
  /** How long a task is held, ms, by its kind. */
  readonly #holds: ReadonlyMap<string, number>;
  #timer: NodeJS.Timeout | undefined;
  /** The search for work. It doesn't wait for that work: what is slow holds nothing else up. */
  #looking: Promise<void> | null = null;
  readonly #runningJobs = new Map<string, Promise<void>>();
  /** By job: when its next period may begin, by `performance.now()`. */
  readonly #periods = new Map<string, number>();
  readonly #runningTasks = new Map<string, Promise<void>>();
  /** The last search found as many tasks as could begin. */
  #mayHaveMore = false;
  #isAwaited = false;
  #stopped = false;

  constructor(options: TaskOptions) {
    this.#options = options;
    const { registry } = options.hooks;
    this.#effects = effectsOf(registry);
    this.#accountHooks = accountHooksOf(registry);
    this.#jobs = jobsOf(registry);
    const holdOf = (hook: NamedHook<unknown>): number => this.#timeOf(hook) + MARGIN;
    this.#holds = new Map([
      ...[...this.#effects].map(([kind, hook]) => [kind, holdOf(hook)] as const),
      // Its time begins when the account's lock is there.
      ...[...this.#accountHooks].map(
        ([kind, hook]) => [kind, options.patience + holdOf(hook)] as const,
      ),
    ]);
  }

  /** Begins. Does nothing more if no hook file asks for it. */
  start(): void {
    if (this.#holds.size + this.#jobs.length > 0) this.#plan(0);
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
        .catch((err: unknown) => this.#options.log.error({ err }, TASKS_FAILED))
        .finally(() => {
          this.#looking = null;
          this.#plan(this.#isAwaited ? 0 : PAUSE);
        });
    }, pause);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#isAwaited = false;
    for (const job of this.#jobs)
      if ((this.#periods.get(job.name) ?? 0) <= performance.now())
        this.#begin(this.#runningJobs, job.name, () => this.#runJob(job));
    const limit = AT_ONCE - this.#runningTasks.size;
    if (limit === 0) return;
    const { tasks } = this.#options;
    const now = Date.now();
    const except = [...this.#runningTasks.keys()];
    const how = { now, longestPause: LONGEST_PAUSE, limit, except };
    const taken = await tasks.take(this.#holds, how);
    // Another server, or the next start, need not wait until they are held no more.
    if (this.#stopped) return tasks.release(taken, now);
    this.#mayHaveMore = taken.length === limit;
    for (const task of taken) this.#begin(this.#runningTasks, task.id, () => this.#run(task));
  }

  /** Begins work, unless it runs. */
  #begin(running: Map<string, Promise<void>>, name: string, work: () => Promise<void>): void {
    if (running.has(name)) return;
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
    try {
      const account = await accounts.find(task.accountId);
      const hook = this.#accountHooks.get(task.kind);
      // Nothing is to be done for an account that has gone.
      if (account !== null && hook !== undefined) await this.#greet(hook, account, task.id);
      else if (account !== null) await this.#effect(task);
      await tasks.finish(task);
    } catch (error) {
      const pause = Math.min(FIRST_PAUSE * 2 ** (task.attempt - 1), LONGEST_PAUSE);
      const { accountId, id, kind, attempt } = task;
      const what = { accountId, task: id, kind, attempt, seconds: Math.round(pause / 1000) };
      log.error({ err: error, ...what }, 'a task of a hook failed; it is tried again');
      await tasks.postpone(task, Date.now() + pause, String(error).slice(0, 1000));
    }
  }

  async #effect(task: HeldTask): Promise<void> {
    const hook = this.#effects.get(task.kind);
    if (hook === undefined) return;
    const { call, changes } = readKept(hook.type, task.payload);
    const { hooks, services, hookServices } = this.#options;
    const budget = new HookBudget(hookServices.timeout, Number.POSITIVE_INFINITY);
    const { signal } = budget;
    const { accountId, id: effectId, attempt } = task;
    const end = performance.now() + this.#timeOf(hook);
    const { userId } = call;
    const effect = Object.freeze({
      ...{ accountId, effectId, attempt, userId, signal },
      ...{ method: call.method, arguments: call.arguments, refused: call.refused },
      createdIds: new Map(call.createdIds),
      isReadOnly: false,
      inAccount: hooks.workIn(services, hook, { accountId, userId, end, signal }),
    } satisfies EffectCall);
    await budget
      .run(hook, async () => hook.run(changes as never, effect as never))
      .catch((error: unknown) => {
        throw namedFailure(hook.what, error);
      });
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
    const { hookServices, tasks, log } = this.#options;
    try {
      const left = await tasks.beginPeriod(job.name, Date.now(), job.every);
      this.#periods.set(job.name, performance.now() + Math.min(left, LONGEST_LOOK));
      if (left > 0) return;
      const budget = new HookBudget(hookServices.timeout, Number.POSITIVE_INFINITY);
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
