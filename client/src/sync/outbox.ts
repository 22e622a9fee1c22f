import type { JsonObject } from '../../../src/protocol/json.js';
import { isFinal, RequestError } from '../call/errors.js';
import { isChecked } from '../store/checks.js';
import type { Log } from '../store/log.js';
import type { PendingWrite } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import { callsOf, type FlushCall, findHeld, planFlush, setCall } from './flush.js';
import { findOrphans } from './orphans.js';
import { type FlushResult, readFlush } from './outcomes.js';
import { CALLS_OF_A_PULL, maxOctetsOf, type SyncOptions } from './sync-options.js';
import { MOST_FAILURES } from './transient.js';
import { findConflicts, findWaiting } from './unchanged.js';
import { answerOf } from './wire.js';

/** Limits are not halved further: a single write is less than this in any case. */
const SMALLEST_SHARE = 2 ** -12;

const TOO_LARGE = Object.freeze({
  type: 'tooLarge',
  description: 'The server takes no request so large.',
});

/** Puts the writes of the log into calls of /set, and reads their answers. */
export class Outbox {
  readonly #options: SyncOptions;
  readonly #isRefused: (type: string) => boolean;
  /** The part of its limits that the server has really taken so far. */
  #share = 1;
  /** The key of a call that may have been made, and that the server doesn't take again. */
  #doubted: string | null = null;
  /** A write that has failed alone: it is to blame if a request without writes goes through. */
  #suspect: { readonly write: PendingWrite; readonly error: JsonObject } | null = null;
  /** How often the server has failed at requests with writes, one time after the other. */
  #crashes = 0;

  /** `isRefused`: the server tells nothing of a type. */
  constructor(options: SyncOptions, isRefused: (type: string) => boolean = () => false) {
    this.#options = options;
    this.#isRefused = isRefused;
  }

  get doubted(): string | null {
    return this.#doubted;
  }

  /** Returns whether there are writes to send. */
  get hasWrites(): boolean {
    return this.#options.replica.log.length > this.#findHeld().size;
  }

  /** How many /set a request may have: the changes that they make are read with them. */
  get #maxCalls(): number {
    return this.shareOf(this.#options.limits().maxCallsInRequest - CALLS_OF_A_PULL);
  }

  /** Returns as much of a limit as the server takes. */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#share));
  }

  /** Has a new session, with other limits. */
  forget(): void {
    this.#share = 1;
  }

  /**
   * Puts writes into calls. They are sent once that is durable: their keys let the server tell a
   * call that comes again after a crash.
   */
  async plan(): Promise<void> {
    const { replica, commit, isHeld, tidy, checkLog } = this.#options;
    await checkLog?.();
    tidy();
    this.#endConflicts();
    const { log } = replica;
    const planned = this.#planFlush();
    if (!planned.some((write, index) => write !== log[index])) return;
    if (await commit({ log: planned }, [])) return;
    if (!planned.some((write, index) => write !== log[index] && isHeld(write))) return;
    const before = new Map(planned.map((write, index) => [write, log[index] ?? write]));
    await commit({ log: replica.log.map((write) => before.get(write) ?? write) }, []);
    // Others have been made meanwhile.
    this.#endConflicts();
    await commit({ log: this.#planFlush() }, []);
  }

  /** Returns the calls of the next request. */
  calls(): readonly FlushCall[] {
    return callsOf(this.#options.replica.log).slice(0, this.#maxCalls);
  }

  /** Returns a call as it is sent. */
  invocationOf(call: FlushCall): Invocation {
    const { accountId, replica, hasOnceKeys } = this.#options;
    return setCall(accountId, call, replica, hasOnceKeys());
  }

  /** Reads the answers of calls. */
  read(calls: readonly FlushCall[], response: Response): FlushResult {
    const { replica, repair } = this.#options;
    const answers = calls.map((call) => ({ call, answer: answerOf(response, call.onceKey) }));
    const result = readFlush(replica, answers, repair);
    if (result.isTooLarge) this.#share /= 2;
    if (calls.length > 0) this.#crashes = 0;
    return result;
  }

  /**
   * Makes the next request smaller than one with these calls that has failed, where the error is
   * one of its calls. Calls of `earlier` may have been made: alone, such a call is in doubt, and so
   * is a write alone. Returns false where nothing can be made smaller.
   */
  divide(
    calls: readonly FlushCall[],
    earlier: ReadonlySet<string | null>,
    error: unknown,
  ): boolean {
    const { replica, commit, limits } = this.#options;
    const [only] = calls;
    this.#suspect = null;
    if (only === undefined) this.#acquit(error);
    const refusal = this.#judge(error);
    if (only === undefined || refusal === null) return false;
    const isAlone = calls.length === 1;
    const { length, 0: write } = only.writes;
    // The octets that are too many may be those of a few writes: then their number says nothing.
    const size = isAlone && refusal !== TOO_LARGE ? length / limits().maxObjectsInSet : 1;
    this.#share = Math.max(Math.min(this.#share, size) / 2, SMALLEST_SHARE);
    // A server that has failed may have made a part.
    const fresh = calls.filter(({ onceKey }) => !isCrash(error) && !earlier.has(onceKey));
    if (isAlone && (fresh.length === 0 || length === 1)) {
      this.#doubted = only.onceKey;
      if (length === 1 && write) this.#suspect = { write, error: refusal };
    } else if (fresh.length > 0) {
      const unsent = new Set(fresh.flatMap(({ writes }) => writes));
      const log = replica.log.map((each) => (unsent.has(each) ? { ...each, sentAs: null } : each));
      void commit({ log }, []);
    }
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
    this.#share = 1;
    const call = { onceKey: '', type: write.type, writes: [write] };
    const answer = { isError: true, args: error, type: String(error['type']) } as const;
    const { change, outcomes } = readFlush(replica, [{ call, answer }]);
    void commit(change, outcomes);
  }

  /** Requests without writes fail, too: nothing is known of the writes. */
  #acquit(error: unknown): void {
    if (isTooLarge(error)) return;
    this.#crashes = 0;
    this.#share = 1;
  }

  /** Returns why an error refuses a part of its request; null where it may pass. */
  #judge(error: unknown): JsonObject | null {
    if (isTooLarge(error)) return TOO_LARGE;
    if (isCrash(error)) this.#crashes += 1;
    if (!(isCrash(error) ? this.#crashes >= MOST_FAILURES : isFinal(error))) return null;
    const { type, status, message: description } = error as RequestError;
    return status === 401 ? null : { type, status, description };
  }

  #planFlush(): Log {
    const { replica, limits, hasOnceKeys } = this.#options;
    const isGuarded = !hasOnceKeys();
    return planFlush(replica, {
      maxCalls: isGuarded ? 1 : this.#maxCalls,
      maxObjectsInSet: this.shareOf(limits().maxObjectsInSet),
      maxOctets: maxOctetsOf(limits()) * this.#share,
      isGuarded,
      held: this.#findWaiting(),
    });
  }

  #findHeld(): ReadonlySet<PendingWrite> {
    const { replica, isHeld } = this.#options;
    return findHeld(replica.log, isHeld);
  }

  /** Returns the writes that are not sent now: they are held, or their turn hasn't come. */
  #findWaiting(): ReadonlySet<PendingWrite> {
    const held = this.#findHeld();
    return new Set([...held, ...findWaiting(this.#options.replica, held)]);
  }

  #endConflicts(): void {
    const { replica, commit, lacksFile, hasOnceKeys } = this.#options;
    const needsState = (write: PendingWrite) => !hasOnceKeys() || isChecked(write);
    const lacksState = (write: PendingWrite) =>
      this.#isRefused(write.type) && replica.cursor(write.type) === null && needsState(write);
    const orphans = findOrphans(replica, lacksFile, lacksState);
    const outcomes = [...orphans, ...findConflicts(replica, this.#findWaiting())];
    if (outcomes.length === 0) return;
    const ended = new Set(outcomes.map(({ write }) => write));
    void commit({ log: replica.log.filter((write) => !ended.has(write)) }, outcomes);
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
