import type { JsonObject } from '../../../src/protocol/json.js';
import { isFinal, RequestError } from '../call/errors.js';
import type { PendingWrite } from '../store/write.js';
import type { FlushCall } from './flush.js';
import { type Outbox, TOO_LARGE } from './outbox.js';
import { readFlush } from './outcomes.js';
import type { SyncOptions } from './sync-options.js';
import { MOST_FAILURES } from './transient.js';

/**
 * A server, or a proxy before it, may refuse a whole request because of one of its writes. Then
 * requests get smaller until the write is alone.
 */

/** Limits are not halved further: a single write is less than this in any case. */
const SMALLEST_SHARE = 2 ** -12;

/** Finds the writes with which requests fail. */
export class FailedCalls {
  /** The key of a call that may have been made, and that the server doesn't take again. */
  doubted: string | null = null;
  readonly #options: Pick<SyncOptions, 'commit' | 'limits' | 'replica'>;
  readonly #outbox: Outbox;
  /** A write that has failed alone: it is to blame if a request without writes goes through. */
  #suspect: { readonly write: PendingWrite; readonly error: JsonObject } | null = null;
  /** How often the server has failed at requests with writes, one time after the other. */
  #crashes = 0;

  constructor(options: Pick<SyncOptions, 'commit' | 'limits' | 'replica'>, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
  }

  /** The server has answered a request with writes. */
  noteAnswer(): void {
    this.#crashes = 0;
  }

  /**
   * Makes the next request smaller than one with these calls that has failed, where the error may
   * be due to one of them. Calls of `earlier` may have been made: alone, such a call is in doubt,
   * and so is a write alone. Returns false where nothing can be made smaller.
   */
  divide(
    calls: readonly FlushCall[],
    earlier: ReadonlySet<string | null>,
    error: unknown,
  ): boolean {
    const [only] = calls;
    this.#suspect = null;
    if (only === undefined) this.#acquit(error);
    const refusal = this.#judge(error);
    if (only === undefined || refusal === null) return false;
    const isAlone = calls.length === 1;
    const { length, 0: write } = only.writes;
    // The octets that are too many may be those of a few writes: then their number says nothing.
    this.#shrink(isAlone && refusal !== TOO_LARGE ? length : Number.POSITIVE_INFINITY);
    // A server that has failed may have made a part.
    const fresh = calls.filter(({ onceKey }) => !isCrash(error) && !earlier.has(onceKey));
    if (isAlone && (fresh.length === 0 || length === 1)) {
      this.doubted = only.onceKey;
      if (length === 1 && write) this.#suspect = { write, error: refusal };
    } else this.#planAnew(fresh);
    return true;
  }

  /** Refuses the write that has failed alone, once it is known that it was not made. */
  endDoubt(): void {
    const { replica, commit } = this.#options;
    const { write: failed, error } = this.#suspect ?? {};
    const write = replica.log.find(
      ({ ids, sentAs }) => sentAs === null && ids.some((id) => failed?.ids.includes(id)),
    );
    if (error === undefined || write === undefined) return;
    this.#suspect = null;
    this.#outbox.share = 1;
    const call = { onceKey: '', type: write.type, writes: [write] };
    const answer = { isError: true, args: error, type: String(error['type']) } as const;
    const { change, outcomes } = readFlush(replica, [{ call, answer }]);
    void commit(change, outcomes);
  }

  /** Halves the limits of a request; those of a call with so many writes at least. */
  #shrink(writes: number): void {
    const { maxObjectsInSet } = this.#options.limits();
    const share = Math.min(this.#outbox.share, writes / maxObjectsInSet) / 2;
    this.#outbox.share = Math.max(share, SMALLEST_SHARE);
  }

  #planAnew(calls: readonly FlushCall[]): void {
    const { replica, commit } = this.#options;
    if (calls.length === 0) return;
    const unsent = new Set(calls.flatMap(({ writes }) => writes));
    const log = replica.log.map((each) => (unsent.has(each) ? { ...each, sentAs: null } : each));
    void commit({ log }, []);
  }

  /** Requests without writes fail, too: nothing is known of the writes. */
  #acquit(error: unknown): void {
    if (isTooLarge(error)) return;
    this.#crashes = 0;
    this.#outbox.share = 1;
  }

  /** Returns why an error refuses a part of its request; null where it may pass. */
  #judge(error: unknown): JsonObject | null {
    if (isTooLarge(error)) return TOO_LARGE;
    if (isCrash(error)) this.#crashes += 1;
    if (!(isCrash(error) ? this.#crashes >= MOST_FAILURES : isFinal(error))) return null;
    const { type, status, message: description } = error as RequestError;
    return status === 401 ? null : { type, status, description };
  }
}

/** Returns whether a request was refused as a whole since it is too large. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  const { status, type, limit } = error;
  return status === 413 || (type === 'limit' && limit !== 'maxConcurrentRequests');
}

/** Returns whether the server failed at a request, rather than that it has no time. */
function isCrash(error: unknown): boolean {
  return error instanceof RequestError && error.status >= 500 && error.status !== 503;
}
