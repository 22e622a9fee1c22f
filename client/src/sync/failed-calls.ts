import { isFinal, RequestError } from '../call/errors.js';
import type { Log } from '../store/log.js';
import { type PendingWrite, unsend } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { FlushCall } from './flush.js';
import { type Outbox, TOO_LARGE } from './outbox.js';
import { type FailedCall, makeRefusal, type Refusal, refuseWrites } from './outcomes.js';
import type { SyncOptions } from './sync-options.js';
import { KEY_IS_USED, MOST_FAILURES, TRANSIENT } from './transient.js';
import { answerOf } from './wire.js';

/**
 * A server, or a proxy before it, may fail at a whole request or call because of one of its writes.
 * Then requests get smaller until the write is alone. It is refused if it fails twice where an
 * empty /set goes through behind it each time: all else is a failure of the way, and passes.
 */

/** The method call id of an empty /set. */
const PROBE = 'probe';
/** How often a write has to fail. */
const MOST_TRIES = 2;

/** Errors of a call at which a server has failed. */
const CRASHES: ReadonlySet<string> = new Set(['serverFail', 'serverPartialFail']);

/** Why a create ends of which nobody knows what the server has made. */
const NOT_FOUND_AGAIN = makeRefusal(
  'serverFail',
  'The server has made the call, and fails to answer it: the object may be there.',
);

/** A call that was made. */
export interface MadeCall {
  readonly onceKey: string;
  /** It has come again often enough, and ends without its answer. */
  readonly isLast: boolean;
}

/** A write that has failed alone. */
interface Suspect {
  readonly ids: readonly string[];
  readonly error: Refusal;
  /** How often an empty /set went through behind it. */
  readonly passes: number;
}

/** A call that may have been made. Nothing else is written until that is known. */
interface Doubt {
  readonly call: FlushCall;
  /** The server has answered it, and with an error. */
  readonly isAnswered: boolean;
  /** The empty /set behind it has been answered. */
  isProbed: boolean;
}

/** Finds the writes with which requests fail. */
export class FailedCalls {
  #made: MadeCall | null = null;
  /** The last call that was found to be made, and how often. */
  #found = { onceKey: '', rounds: 0 };
  readonly #options: SyncOptions;
  readonly #outbox: Outbox;
  #doubt: Doubt | null = null;
  /** How often in a row the server has answered open calls with errors. */
  readonly #answers = new Map<string, number>();
  #suspect: Suspect | null = null;
  /** How often the server has failed at requests with writes, one time after the other. */
  #crashes = 0;
  /** How many requests with an empty /set have failed, one behind the other. */
  #failedProbes = 0;
  #isResting = false;

  constructor(options: SyncOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
  }

  /** A call that was made, and with which requests fail. */
  get made(): MadeCall | null {
    return this.#made;
  }

  /** All is known of that call that can be found out without its answer. */
  endMade(): void {
    const { replica, commit } = this.#options;
    if (this.#made?.isLast) {
      const { onceKey } = this.#made;
      const left = replica.log.filter(({ sentAs }) => sentAs === onceKey);
      // Of a type that isn't told, nobody has looked for their effects.
      const made = left.flatMap((write) => {
        const id = write.kind === 'create' ? null : replica.idOf(write.key);
        return id === null ? [] : [{ isMade: true, write, id } as const];
      });
      const ended = new Set<PendingWrite>(made.map(({ write }) => write));
      if (made.length > 0)
        void commit({ log: replica.log.filter((write) => !ended.has(write)) }, made);
      this.#refuse(
        left.filter((write) => !ended.has(write)),
        NOT_FOUND_AGAIN,
      );
    }
    this.#made = null;
  }

  /**
   * Returns an empty /set, where a call is in doubt. Under the key of that call the server makes
   * nothing else from then on, unless it has made it already.
   */
  findProbe(): Invocation | null {
    const { accountId, hasOnceKeys } = this.#options;
    // Another tab may have got the answer.
    if (this.#doubt !== null && !this.#isSent(this.#doubt.call)) this.#doubt = null;
    const isAsked = this.#doubt !== null && !this.#doubt.isProbed;
    this.#isResting = isAsked && this.#failedProbes >= MOST_FAILURES && !this.#isResting;
    if (this.#doubt === null || !isAsked || this.#isResting) return null;
    const { type, onceKey } = this.#doubt.call;
    return [`${type}/set`, { accountId, ...(hasOnceKeys() && { onceKey }) }, PROBE];
  }

  /**
   * Returns whether the next request reads alone. Where requests with an empty /set fail, too,
   * every other one does without: other types are read, however long one fails.
   */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** The server has answered a request with writes. */
  noteAnswer(): void {
    this.#answers.clear();
    this.#crashes = 0;
    this.#suspect = null;
    this.#outbox.grow();
  }

  /** Notes the calls of a response whose outcomes are unknown behind errors of their own. */
  note(calls: readonly FailedCall[]): void {
    for (const { onceKey } of calls.map(({ call }) => call))
      this.#answers.set(onceKey, (this.#answers.get(onceKey) ?? 0) + 1);
    const used = calls.find(({ error }) => error.type === KEY_IS_USED);
    if (used !== undefined) this.#beginDoubt(used.call, null);
    const failed = calls.find(({ error: { type } }) => CRASHES.has(type));
    if (failed === undefined) {
      // The request went through.
      this.#outbox.grow();
      return;
    }
    this.#crashes += 1;
    if (this.#crashes < MOST_FAILURES || used !== undefined) return;
    this.#outbox.shrink(failed.call.writes.length);
    this.#beginDoubt(failed.call, failed.error, true);
  }

  /**
   * Makes the next request smaller than one with these calls that has failed, where the error may
   * be due to one of them. Calls of `earlier` may have been made. Returns whether the next request
   * needs no pause.
   */
  divide(
    calls: readonly FlushCall[],
    earlier: ReadonlySet<string | null>,
    error: unknown,
  ): boolean {
    const [only, ...others] = calls;
    for (const { onceKey } of calls) this.#answers.delete(onceKey);
    if (only === undefined) this.#acquit(error);
    if (only === undefined && this.#doubt !== null && !this.#isResting) this.#failedProbes += 1;
    const refusal = this.#judge(error);
    if (only === undefined || refusal === null) return false;
    const isAlone = others.length === 0 && this.#outbox.isDivided;
    const { length } = only.writes;
    // The octets that are too many may be those of a few writes: then their number says nothing.
    this.#outbox.shrink(isAlone && refusal !== TOO_LARGE ? length : Number.POSITIVE_INFINITY);
    if (refusal === TOO_LARGE) this.#outbox.limit();
    // A server that has failed may have made a part.
    const isOpen = ({ onceKey }: FlushCall) => isCrash(error) || earlier.has(onceKey);
    if (!isAlone || (length > 1 && !isOpen(only))) {
      this.#planAnew(calls.filter((call) => !isOpen(call)));
      return true;
    }
    this.#beginDoubt(only, refusal);
    return false;
  }

  /**
   * Returns whether a call of this key was hardly made, by a response. The server has answered it
   * with many errors in a row, or it has answered an empty /set of the key.
   */
  isUnmade(onceKey: string, response: Response): boolean {
    const isAsked = onceKey === this.#doubt?.call.onceKey && !this.#doubt.isProbed;
    const isUsedUp = isAsked && this.#options.hasOnceKeys() && !answerOf(response, PROBE).isError;
    return isUsedUp || (this.#answers.get(onceKey) ?? 0) >= MOST_FAILURES;
  }

  /** Reads the answer to an empty /set. Returns the type of an error that may pass. */
  readProbe(response: Response): string | null {
    const { hasOnceKeys } = this.#options;
    const doubt = this.#doubt;
    if (doubt === null) return null;
    const { call } = doubt;
    if (!doubt.isProbed) {
      if (this.#isResting) return null;
      this.#failedProbes = 0;
      const answer = answerOf(response, PROBE);
      if (answer.isError && TRANSIENT.has(answer.type)) {
        // The server fails at this type alone: the others go on, and it is tried with them.
        this.#doubt = null;
        if (doubt.isAnswered) this.#acquit(null);
        return answer.type;
      }
      if (answer.isError) this.#suspect = null;
      // The server refuses what writes nothing, too: the call says why.
      if (answer.isError && answer.type !== KEY_IS_USED) {
        this.#doubt = null;
        return answer.type;
      }
      doubt.isProbed = true;
      // The key has other arguments.
      if (answer.isError) this.#noteMade(call.onceKey);
      else if (hasOnceKeys()) this.#planAnew([call]);
    }
    // A server without keys tells with its changes what it has made.
    if (hasOnceKeys() || !this.#isSent(call)) {
      this.#doubt = null;
      this.#noteWay();
    }
    return null;
  }

  /** The way of writes is open: refuses a write that has failed often enough. */
  #noteWay(): void {
    const { replica } = this.#options;
    this.#suspect &&= { ...this.#suspect, passes: this.#suspect.passes + 1 };
    if (this.#suspect === null || this.#suspect.passes < MOST_TRIES) return;
    const { error } = this.#suspect;
    const write = replica.log.find((each) => each.sentAs === null && this.#isSuspect(each));
    this.#suspect = null;
    this.#crashes = 0;
    this.#outbox.forget();
    if (write !== undefined) this.#refuse([write], error);
  }

  /** `error`: why a write alone is refused in the end; null where it is not to blame. */
  #beginDoubt(call: FlushCall, error: Refusal | null, isAnswered = false): void {
    const [write, ...others] = call.writes;
    this.#doubt = { call, isAnswered, isProbed: false };
    if (error === null || write === undefined || others.length > 0) return;
    const passes = this.#isSuspect(write) ? (this.#suspect?.passes ?? 0) : 0;
    this.#suspect = { ids: write.ids, error, passes };
  }

  /** A call that was made comes again as it was: its answer may get through. */
  #noteMade(onceKey: string): void {
    const rounds = this.#found.onceKey === onceKey ? this.#found.rounds + 1 : 1;
    this.#found = { onceKey, rounds };
    this.#made = { onceKey, isLast: rounds >= MOST_FAILURES };
  }

  #refuse(writes: Log, error: Refusal): void {
    const { replica, commit } = this.#options;
    if (writes.length === 0) return;
    const { change, outcomes } = refuseWrites(replica, writes, error);
    // The writes may go through in another tab that has the turn by now.
    void commit(change, outcomes, false);
  }

  #isSent({ onceKey }: FlushCall): boolean {
    return this.#options.replica.log.some(({ sentAs }) => sentAs === onceKey);
  }

  #isSuspect({ ids }: { readonly ids: readonly string[] }): boolean {
    return ids.some((id) => this.#suspect?.ids.includes(id));
  }

  #planAnew(calls: readonly FlushCall[]): void {
    const { replica, commit } = this.#options;
    if (calls.length === 0) return;
    const unsent = new Set(calls.map(({ onceKey }) => onceKey));
    const log = replica.log.map((each) =>
      each.sentAs !== null && unsent.has(each.sentAs) ? unsend(each) : each,
    );
    void commit({ log }, []);
  }

  /** Requests without writes fail, too: nothing is known of the writes. */
  #acquit(error: unknown): void {
    if (isTooLarge(error)) return;
    this.#crashes = 0;
    this.#suspect = null;
    this.#outbox.forget();
  }

  /** Returns why an error refuses a part of its request; null where it may pass. */
  #judge(error: unknown): Refusal | null {
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
