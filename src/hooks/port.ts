import type { UnitOfWork } from '../methods/work/unit.js';
import type { Snapshot } from '../store/port.js';

/** What hooks need of the process: made once in main. */
export interface HookServices {
  /** HOOK_TIMEOUT, ms: for all hooks of one method call together. */
  readonly timeout: number;
  /** The team's typed Prisma client, for reading. */
  readonly prisma: unknown;
  /**
   * Runs `work` so that the client reads inside the transaction that this process has open for its
   * exclusive call; once `work` has settled, the client refuses whatever `work` left running.
   */
  join<T>(work: () => Promise<T>): Promise<T>;
  /** Told of what afterCommit hooks throw. */
  readonly onError: (error: unknown, what: string) => void;
}

/** What `reader.get` and `tx.get` read from. */
export type ObjectReader = Pick<Snapshot, 'get' | 'getAll'>;

/** What a hook may touch. */
export interface HookReach {
  /** Null: the method has no account. */
  readonly snapshot: ObjectReader | null;
  /** What `tx.set` writes into; null where the hook only reads. */
  readonly unit: UnitOfWork | null;
}
