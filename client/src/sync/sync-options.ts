import type { TypeTable } from '../schema/tables.js';
import type { Change, Coverage, Replica } from '../store/replica.js';
import type { PendingWrite } from '../store/write.js';
import type { Backoff } from './backoff.js';
import type { Outcome, Repair } from './outcomes.js';
import type { Wire } from './wire.js';

/** The server makes calls of the same `onceKey` once. */
export const ONCE = 'urn:jmapsmith:once';

/** Calls of a /changes with its gets. */
export const CALLS_OF_A_PULL = 3;

export interface SyncLimits {
  readonly maxCallsInRequest: number;
  readonly maxObjectsInGet: number;
  readonly maxObjectsInSet: number;
  readonly maxSizeRequest: number;
}

/** Returns the octets that the writes of a request may have; its other calls are small. */
export function maxOctetsOf({ maxSizeRequest }: SyncLimits): number {
  return maxSizeRequest * 0.8;
}

export interface SyncOptions {
  readonly accountId: string;
  readonly replica: Replica;
  readonly wire: Wire;
  /** Returns the types of which a copy is kept, and the server's limits, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly limits: () => SyncLimits;
  /** Returns how much of a type the program wants to keep; undefined: it doesn't say. */
  readonly coverageOf?: (type: string) => Coverage | undefined;
  /** Returns whether the server makes calls of the same `onceKey` once. */
  readonly hasOnceKeys: () => boolean;
  /**
   * Makes a change with the ends of the writes that it takes out of the log, and tells whoever
   * looks at it. `areAnswers`: the server has said so, or its data shows it, and no other tab finds
   * another end. Among tabs, others are told once they are durable. Resolves once it is durable;
   * false where it never will be.
   */
  readonly commit: (
    change: Change,
    outcomes: readonly Outcome[],
    areAnswers?: boolean,
  ) => Promise<boolean>;
  /**
   * Returns whether an unsent write must not be sent: it waits for a file, or a later client would
   * send it once more.
   */
  readonly isHeld: (write: PendingWrite) => boolean;
  /** Plans writes, behind what this client has to know of those of other tabs. */
  readonly planWith: (plan: () => Promise<void>) => Promise<void>;
  /** Returns whether a write can't be made: it names a file that the server will never have. */
  readonly lacksFile: (write: PendingWrite) => boolean;
  /** Returns a refused write as it is sent once more; null: the refusal is final. */
  readonly repair?: Repair;
  /**
   * Is told how each request went: null, or the type of the error; and whether nothing is left to
   * do.
   */
  readonly report?: (failure: string | null, isDone: boolean) => void;
  /** Resolves when no session is being fetched: another one may forget what has been read. */
  readonly settleSession?: () => Promise<void>;
  /** Resolves when the lists that were opened just now can take answers. */
  readonly settleLists?: () => Promise<void>;
  /** Returns whether somebody looks at a list of a type: such types come first. */
  readonly isShown?: (type: string) => boolean;
  /** Makes the unsent writes of the log as few as they can be. */
  readonly tidy: () => void;
  /** Does work while no other tab makes cycles, behind what they have committed. */
  readonly takeTurn: (work: () => Promise<boolean>) => Promise<boolean>;
  /** Returns whether another tab has taken the turn: what this one commits is void. */
  readonly isFenced: () => boolean;
  readonly backoff?: Backoff;
}
