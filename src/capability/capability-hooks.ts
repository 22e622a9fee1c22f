import type { Duration, Hook, HookCall, HookTransaction, OwnMethod, TypeHooks } from './hooks.js';

/** A new account, for `accountCreated`. */
export interface NewAccount {
  readonly id: string;
  readonly name: string;
  /** The user whom it belongs to. */
  readonly ownerId: string;
}

/** Work that one of all servers does in each period. */
export interface Job<Database = unknown> {
  readonly every: Duration;
  /** HOOK_TIMEOUT where it is left out. */
  readonly timeout?: Duration;
  run(job: JobCall<Database>): void | Promise<void>;
}

/** The things that a job works with. */
export interface JobCall<Database = unknown> {
  /** Aborted when the job's time is over. */
  readonly signal: AbortSignal;
  /** The ids of all accounts, without those that are being deleted. */
  accounts(): Promise<readonly string[]>;
  /**
   * Runs `work` in a transaction of one account, as an own method that writes. Resolves to what
   * `work` returns; to null where the account has been deleted meanwhile.
   */
  inAccount<T>(
    accountId: string,
    work: (tx: HookTransaction<Database>) => T | Promise<T>,
  ): Promise<T | null>;
  /** The team's typed Prisma client, for reading alone. */
  readonly prisma: Database;
}

/** All hooks of a capability: what `export const hooks` of NAME.hooks.ts is. */
export interface CapabilityHooks {
  // biome-ignore lint/suspicious/noExplicitAny: a table of hooks with types of their own
  readonly types?: Readonly<Record<string, TypeHooks<any, any, any, any>>>;
  // biome-ignore lint/suspicious/noExplicitAny: a table of methods with argument types of their own
  readonly methods?: Readonly<Record<string, OwnMethod<any, any, any>>>;
  /** Seeds each account that comes to be while the capability is served, once. */
  // biome-ignore lint/suspicious/noExplicitAny: of any database client
  readonly accountCreated?: AccountCreated<any>;
  /** Work at intervals, by name. */
  // biome-ignore lint/suspicious/noExplicitAny: of any database client
  readonly jobs?: Readonly<Record<string, Job<any>>>;
}

/** Writes the first objects of a new account. An error undoes them, and it runs again. */
export type AccountCreated<Database = unknown> = Hook<
  (account: NewAccount, call: HookCall, tx: HookTransaction<Database>) => void | Promise<void>
>;
