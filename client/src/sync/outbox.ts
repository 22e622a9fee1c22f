import { isChecked } from '../store/checks.js';
import type { Log } from '../store/log.js';
import type { PendingWrite } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import { callsOf, type FlushCall, findHeld, planFlush, type SetContext, setCall } from './flush.js';
import { findOrphans } from './orphans.js';
import { type AnsweredCall, type FlushResult, makeRefusal, readFlush } from './outcomes.js';
import { CALLS_OF_A_PULL, maxOctetsOf, type SyncOptions } from './sync-options.js';
import { KEY_IS_USED, TRANSIENT } from './transient.js';
import { findConflicts, findWaiting } from './unchanged.js';
import { answerOf, type CallAnswer } from './wire.js';

export const TOO_LARGE = makeRefusal('tooLarge', 'The server takes nothing so large.');

/** Limits are not halved further: a single write is less than this in any case. */
const SMALLEST_SHARE = 2 ** -12;

/** The calls of a request. */
interface SentCalls {
  readonly calls: readonly FlushCall[];
  /** The keys that were planned before. */
  readonly earlier: ReadonlySet<string | null>;
}

/** Puts the writes of the log into calls of /set, and reads their answers. */
export class Outbox {
  readonly #options: SyncOptions;
  readonly #isRefused: (type: string) => boolean;
  /** The part of the server's limits that requests have now, and the one that it really takes. */
  #share = 1;
  #most = 1;

  /** `isRefused`: the server tells nothing of a type. */
  constructor(options: SyncOptions, isRefused: (type: string) => boolean = () => false) {
    this.#options = options;
    this.#isRefused = isRefused;
  }

  /** Returns whether there are writes to send. */
  get hasWrites(): boolean {
    const { replica, isHeld } = this.#options;
    return replica.log.length > findHeld(replica, isHeld).size;
  }

  /** How many /set a request may have: the changes that they make are read with them. */
  get #maxCalls(): number {
    return this.shareOf(this.#options.limits().maxCallsInRequest - CALLS_OF_A_PULL);
  }

  /** A request has failed: writes go out in smaller ones, with nothing beside them. */
  get isDivided(): boolean {
    return this.#share < 1;
  }

  /** Returns as much of a limit as the server takes. */
  shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#share));
  }

  /** Has a new session, with other limits. */
  forget(): void {
    this.#share = 1;
    this.#most = 1;
  }

  /** Halves the limits of a request; those of a call with so many writes at least. */
  shrink(writes: number): void {
    const { maxObjectsInSet } = this.#options.limits();
    const share = Math.min(this.#share, writes / maxObjectsInSet) / 2;
    this.#share = Math.max(share, SMALLEST_SHARE);
  }

  /** The server takes no more than what the next requests have. */
  limit(): void {
    this.#most = this.#share;
  }

  /** The server has taken a request. */
  grow(): void {
    this.#share = Math.min(this.#most, this.#share * 2);
  }

  /**
   * Puts writes into calls. They are sent once that is durable: their keys let the server tell a
   * call that comes again after a crash.
   */
  async plan(): Promise<void> {
    const { replica, commit, isHeld, tidy } = this.#options;
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
  invocationOf(call: FlushCall, createdIds: SetContext['createdIds']): Invocation {
    const { accountId, replica, hasOnceKeys } = this.#options;
    return setCall(call, { accountId, replica, hasOnceKeys: hasOnceKeys(), createdIds });
  }

  /** Reads the answers of calls. An earlier request may have had those of `earlier`. */
  read({ calls, earlier }: SentCalls, response: Response): FlushResult {
    const { replica, repair } = this.#options;
    const answers = calls.map((call): AnsweredCall => {
      const answer = answerOf(response, call.onceKey);
      const isAgain = earlier.has(call.onceKey);
      return { call, answer, isAgain, isOpen: this.#isOpen(answer, isAgain) };
    });
    const result = readFlush(replica, answers, repair);
    if (result.isTooLarge) {
      this.shrink(Number.POSITIVE_INFINITY);
      this.limit();
    }
    return result;
  }

  /**
   * Returns whether the outcome of a call is unknown behind its answer. The server looks for the
   * answer to an earlier request only once it has time.
   */
  #isOpen(answer: CallAnswer, wasSent: boolean): boolean {
    if (!answer.isError) return false;
    const { type, isMissing } = answer;
    const isUsed = type === KEY_IS_USED && wasSent && this.#options.hasOnceKeys();
    return isMissing || type === 'serverPartialFail' || TRANSIENT.has(type) || isUsed;
  }

  #planFlush(): Log {
    const { replica, limits, hasOnceKeys } = this.#options;
    const isGuarded = !hasOnceKeys();
    return planFlush(replica, {
      maxCalls: isGuarded ? 1 : this.#maxCalls,
      maxObjectsInSet: this.shareOf(limits().maxObjectsInSet),
      maxOctets: maxOctetsOf(limits()) * this.#share,
      held: this.#findWaiting(),
    });
  }

  /** Returns the writes that are not sent now: they are held, or their turn hasn't come. */
  #findWaiting(): ReadonlySet<PendingWrite> {
    const { replica, isHeld, hasOnceKeys } = this.#options;
    return findWaiting(replica, findHeld(replica, isHeld), !hasOnceKeys());
  }

  #endConflicts(): void {
    const { replica, commit, hasOnceKeys, types } = this.#options;
    const read = new Set(types().map(({ name }) => name));
    // The account may offer the type no more.
    const lacksState = (write: PendingWrite) =>
      (this.#isRefused(write.type) || !read.has(write.type)) &&
      (isChecked(write) || !hasOnceKeys());
    const orphans = findOrphans(replica, this.#options, lacksState);
    const outcomes = [...orphans, ...findConflicts(replica, this.#findWaiting())];
    if (outcomes.length === 0) return;
    const ended = new Set(outcomes.map(({ write }) => write));
    void commit({ log: replica.log.filter((write) => !ended.has(write)) }, outcomes, false);
  }
}
