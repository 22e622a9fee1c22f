import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { Log } from '../store/log.js';
import type { Change, Replica } from '../store/replica.js';
import type { PendingWrite } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import { Backoff } from './backoff.js';
import { findEarly, type News } from './early.js';
import { callsOf, type FlushCall, findHeld, planFlush, setCall } from './flush.js';
import { type Outcome, readFlush, TRANSIENT } from './outcomes.js';
import { type Pull, pullCalls, readPull } from './pull.js';
import { findLost, type Lost, type Recovery, recover, recoveryCall } from './recovery.js';
import { readSweep, type Sweep, startSweep, sweepCalls } from './sweep.js';
import { answerOf, type Wire } from './wire.js';

const CORE = 'urn:ietf:params:jmap:core';
export const ONCE = 'urn:jmapsmith:once';
/** Calls of a /changes with its gets, and of a page of a sweep. */
const CALLS_OF_A_PULL = 3;
const CALLS_OF_A_SWEEP = 2;

/** Limits are not halved further: a single write is less than this in any case. */
const SMALLEST_SHARE = 2 ** -12;

const TOO_LARGE = Object.freeze({
  type: 'tooLarge',
  description: 'The server takes no request so large.',
});

/** Returns the octets that the writes of a request may have; its other calls are small. */
export function maxOctetsOf({ maxSizeRequest }: SyncLimits): number {
  return maxSizeRequest * 0.8;
}

export interface SyncLimits {
  readonly maxCallsInRequest: number;
  readonly maxObjectsInGet: number;
  readonly maxObjectsInSet: number;
  readonly maxSizeRequest: number;
}

export interface SyncOptions {
  readonly accountId: string;
  readonly replica: Replica;
  readonly wire: Wire;
  /** Returns the types that are kept whole, and the server's limits, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly limits: () => SyncLimits;
  /** Returns whether the server makes calls of the same `onceKey` once. */
  readonly hasOnceKeys: () => boolean;
  /**
   * Makes a change with the ends of the writes that it takes out of the log, and tells whoever
   * looks at it. Resolves once it is durable; false where it never will be.
   */
  readonly commit: (change: Change, outcomes: readonly Outcome[]) => Promise<boolean>;
  /** Returns whether an unsent write must not be sent: a later client would send it once more. */
  readonly isHeld: (write: PendingWrite) => boolean;
  /**
   * Is told how each request went: null, or the type of the error; and whether nothing is left to
   * do.
   */
  readonly report?: (failure: string | null, isDone: boolean) => void;
  readonly backoff?: Backoff;
}

/** Objects of types by their ids; null: gone. */
type Objects = Map<string, Map<string, JsonObject | null>>;

/** The calls of one request. */
interface Cycle {
  readonly calls: readonly FlushCall[];
  readonly pulls: readonly Pull[];
  readonly sweeps: readonly Sweep[];
  /** Keys of calls that were planned before: an earlier request may have had them. */
  readonly earlier: ReadonlySet<string | null>;
  /** A call whose answer was lost: nothing else is written until its outcome is known. */
  readonly lost: Lost | null;
}

/** A commit that is being put together. */
interface Draft {
  readonly objects: Objects;
  readonly cursors: Map<string, string | null>;
  readonly covered: Set<string>;
  readonly news: Map<string, News>;
}

/**
 * Objects that a sweep has not seen go in the end. The copy has no state until then: a program that
 * ends in between reads all of them anew.
 */
interface Swept {
  readonly since: string;
  readonly seen: ReadonlySet<string>;
}

/**
 * Keeps a copy of an account in step with its server: sends the log, and reads what has changed.
 * One cycle runs at a time, so an older answer never comes behind a newer one.
 */
export class Sync {
  readonly #options: SyncOptions;
  readonly #backoff: Backoff;
  readonly #sweeps = new Map<string, Sweep>();
  /** Sweeps behind their last pages, until /changes has nothing more to tell. */
  readonly #swept = new Map<string, Swept>();
  /** Types that the server refuses to tell of, for as long as its session is the same. */
  readonly #refused = new Set<string>();
  /** Types whose changes have not been asked for since the last wish. */
  readonly #due = new Set<string>();
  #running: Promise<void> | null = null;
  #isClosed = false;
  #wake: (() => void) | null = null;
  /** Something has been wished for since the last request began. */
  #isWished = false;
  /** The last request has brought nothing. */
  #isStuck = false;
  /** The part of its limits that the server has really taken so far. */
  #share = 1;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
  }

  /** Returns whether changes have been wished for that no request has asked for. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** Has the next cycles ask for all changes, without starting one. */
  note(): void {
    this.#isWished = true;
    for (const { name } of this.#types()) this.#due.add(name);
  }

  /** Asks for a cycle: one that runs already isn't enough, another one follows it. */
  want(): void {
    this.note();
    if (this.#running !== null || this.#isClosed) return;
    this.#running = this.#run();
  }

  /** Has a new session: forgets how far these types have been read. */
  forget(types: Iterable<string>): void {
    this.#refused.clear();
    this.#share = 1;
    for (const type of types) {
      this.#sweeps.delete(type);
      this.#swept.delete(type);
    }
  }

  /** Asks for a cycle at once, even where the last one has failed and its pause isn't over. */
  wake(): void {
    this.#backoff.reset();
    this.#wake?.();
    this.want();
  }

  /** Resolves when all writes are answered and all changes read that were there at the call. */
  async settle(): Promise<void> {
    this.wake();
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // Without an answer the outcome is unknown: the same calls go out again, and are made once.
      const failure = await this.#cycle().catch(typeOf);
      if (this.#isClosed) break;
      const isDone = failure === null && !this.#hasMore();
      this.#options.report?.(failure, isDone);
      if (isDone) break;
      // A server that never comes to an end is asked as rarely as one that fails.
      if (failure !== null || (this.#isStuck && !this.#isWished)) await this.#pause();
    }
    this.#running = null;
  }

  #hasMore(): boolean {
    const { log } = this.#options.replica;
    return log.length > this.#findHeld().size || this.#sweeps.size > 0 || this.#due.size > 0;
  }

  async #pause(): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#backoff.next());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  /**
   * Sends one request, and commits its answers. Resolves to null, or to the type of an error that
   * a part of it had.
   */
  async #cycle(): Promise<string | null> {
    const { replica, wire, commit } = this.#options;
    const lost = this.#findLost();
    const earlier = new Set(replica.log.map(({ sentAs }) => sentAs));
    await this.#plan();
    if (this.#isClosed) return null;
    const cycle = this.#makeCycle(lost, earlier);
    for (const { type } of cycle.pulls) this.#due.delete(type);
    const behind = new Set(this.#swept.keys());
    this.#isWished = false;
    this.#isStuck = false;
    let failure: string | null = 'transport';
    try {
      const response = await wire.send(this.#requestOf(cycle));
      const answers = cycle.calls.map((call) => ({
        call,
        answer: answerOf(response, call.onceKey),
      }));
      const flush = readFlush(replica, answers);
      const draft: Draft = {
        objects: new Map(flush.change.objects),
        cursors: new Map(),
        covered: new Set(),
        news: new Map(),
      };
      failure = this.#readAnswers(cycle, response, draft) ?? flush.failure;
      if (flush.isTooLarge) this.#share /= 2;
      const recovery = this.#recover(cycle, response, draft);
      const outcomes = [...flush.outcomes, ...(recovery?.outcomes ?? [])];
      const early = findEarly(replica, outcomes, draft.news, draft.objects);
      void commit({ ...flush.change, ...recovery?.change, ...draft, early }, outcomes);
      const isRead = cycle.pulls.some((pull) => this.#isAhead(pull, draft));
      const hasMoved = outcomes.length > 0 || recovery?.isDone === true || isRead;
      this.#isStuck = !hasMoved && !flush.isTooLarge && !this.#hasPaged(cycle, behind);
      if (failure === null && (hasMoved || !this.#hasMore())) this.#backoff.reset();
    } catch (error) {
      failure = typeOf(error);
      if (isTooLarge(error) && this.#divide(cycle)) failure = null;
    } finally {
      if (failure !== null) for (const { type } of cycle.pulls) this.#due.add(type);
    }
    return failure;
  }

  /** Returns whether a pull has brought its type further, or to its end. */
  #isAhead({ type, since }: Pull, { covered }: Draft): boolean {
    const state = this.#stateOf(type);
    return covered.has(type) || (state !== null && state !== since);
  }

  /**
   * Returns whether a sweep has begun or gone on. It doesn't count where it begins again straight
   * behind another one, of the types in `behind`.
   */
  #hasPaged({ pulls, sweeps }: Cycle, behind: ReadonlySet<string>): boolean {
    const hasGoneOn = ({ type, anchor }: Sweep): boolean => {
      const next = this.#sweeps.get(type)?.anchor ?? null;
      return this.#swept.has(type) || (next !== null && next !== anchor);
    };
    const hasBegun = ({ type }: Pull): boolean => this.#sweeps.has(type) && !behind.has(type);
    return sweeps.some(hasGoneOn) || pulls.some(hasBegun);
  }

  /**
   * Makes the next request smaller than this one, of which the server ran nothing. A write alone
   * that is too large is refused. Returns false where nothing can be made smaller.
   */
  #divide({ calls, pulls, earlier }: Cycle): boolean {
    const { replica, commit } = this.#options;
    for (const { type } of pulls) this.#due.add(type);
    this.#share = Math.max(this.#share / 2, SMALLEST_SHARE);
    // Calls that an earlier request had may have been made.
    const fresh = calls.filter(({ onceKey }) => !earlier.has(onceKey));
    if (fresh.length === 0) return false;
    const unsent = new Set(fresh.flatMap(({ writes }) => writes));
    const [only] = calls.length === 1 && unsent.size === 1 ? unsent : [];
    if (only === undefined) {
      const log = replica.log.map((each) => (unsent.has(each) ? { ...each, sentAs: null } : each));
      void commit({ log }, []);
    } else {
      const answer = { isError: true, args: TOO_LARGE, type: TOO_LARGE.type } as const;
      const { change, outcomes } = readFlush(replica, [{ call: calls[0] as FlushCall, answer }]);
      void commit(change, outcomes);
    }
    return true;
  }

  /**
   * Puts writes into calls. They are sent once that is durable: their keys let the server tell a
   * call that comes again after a crash.
   */
  async #plan(): Promise<void> {
    const { replica, commit, isHeld } = this.#options;
    if (this.#findLost() !== null) return;
    const { log } = replica;
    const planned = this.#planFlush();
    if (!planned.some((write, index) => write !== log[index])) return;
    if (await commit({ log: planned }, [])) return;
    if (!planned.some((write, index) => write !== log[index] && isHeld(write))) return;
    const before = new Map(planned.map((write, index) => [write, log[index] ?? write]));
    await commit({ log: replica.log.map((write) => before.get(write) ?? write) }, []);
    await commit({ log: this.#planFlush() }, []);
  }

  #planFlush(): Log {
    const { replica } = this.#options;
    const limits = this.#options.limits();
    const maxObjectsInSet = this.#shareOf(limits.maxObjectsInSet);
    const maxOctets = maxOctetsOf(limits) * this.#share;
    const isGuarded = !this.#options.hasOnceKeys();
    const maxCalls = isGuarded ? 1 : this.#maxCalls();
    const held = this.#findHeld();
    return planFlush(replica, { maxCalls, maxObjectsInSet, maxOctets, isGuarded, held });
  }

  /** Returns how many /set a request may have: the changes that they make are read with them. */
  #maxCalls(): number {
    return this.#shareOf(this.#options.limits().maxCallsInRequest - CALLS_OF_A_PULL);
  }

  #shareOf(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#share));
  }

  #findHeld(): ReadonlySet<PendingWrite> {
    const { replica, isHeld } = this.#options;
    return findHeld(replica.log, isHeld);
  }

  /** At the begin of a cycle, a call that was sent has lost its answer. */
  #findLost(): Lost | null {
    return this.#options.hasOnceKeys() ? null : findLost(this.#options.replica.log);
  }

  /** Ends what has come of a lost call; all of it once all changes of its type are there. */
  #recover({ lost }: Cycle, response: Response, { objects, news }: Draft): Recovery | null {
    const { isWhole } = news.get(lost?.type ?? '') ?? {};
    if (lost === null || isWhole === undefined) return null;
    const pulled = { objects: objects.get(lost.type), isWhole };
    return recover(lost, this.#options.replica, pulled, response);
  }

  #makeCycle(lost: Lost | null, earlier: Cycle['earlier']): Cycle {
    const { replica, limits } = this.#options;
    if (lost !== null) this.#due.add(lost.type);
    const most = limits().maxCallsInRequest;
    // One pull has room in any case, or nothing would be read any more.
    const maxCallsInRequest = Math.max(this.#shareOf(most), Math.min(most, 1 + CALLS_OF_A_PULL));
    const names = new Set(this.#types().map(({ name }) => name));
    for (const name of names) {
      if (this.#stateOf(name) === null && !this.#sweeps.has(name)) this.#sweepAnew(name);
    }
    // The user's access may have changed.
    for (const known of [this.#due, this.#sweeps, this.#swept])
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    const calls = lost === null ? callsOf(replica.log).slice(0, this.#maxCalls()) : [];
    let room = maxCallsInRequest - calls.length - (lost === null ? 0 : 1);
    const pulls = this.#makePulls(calls, Math.floor(room / CALLS_OF_A_PULL));
    room -= pulls.length * CALLS_OF_A_PULL;
    const sweeps = [...this.#sweeps.values()].slice(0, Math.floor(room / CALLS_OF_A_SWEEP));
    return { calls, pulls, sweeps, earlier, lost };
  }

  #requestOf({ calls, pulls, sweeps, lost }: Cycle) {
    const { replica, accountId, types, limits } = this.#options;
    const hasOnceKeys = this.#options.hasOnceKeys();
    const capabilities = new Set(types().map(({ capability }) => capability));
    const methodCalls: Invocation[] = [
      ...(lost === null ? [] : [recoveryCall(lost, accountId)]),
      ...calls.map((call) => setCall(accountId, call, replica, hasOnceKeys)),
      ...pulls.flatMap(pullCalls),
      ...sweeps.flatMap((sweep) => sweepCalls(sweep, accountId, limits().maxObjectsInGet)),
    ];
    const using = [CORE, ...(hasOnceKeys ? [ONCE] : []), ...capabilities];
    return { using, methodCalls };
  }

  /** Types that were written come first: their answers bring what the writes have done besides. */
  #makePulls(calls: readonly FlushCall[], most: number): readonly Pull[] {
    const { accountId, limits } = this.#options;
    const written = new Set(calls.map(({ type }) => type));
    const pulls = this.#types().flatMap(({ name }): readonly Pull[] => {
      const since = this.#stateOf(name);
      if (since === null || !(this.#due.has(name) || written.has(name))) return [];
      return [{ type: name, since, accountId, maxChanges: limits().maxObjectsInGet }];
    });
    const rank = ({ type }: Pull): number => (written.has(type) ? 0 : 1);
    return pulls.sort((one, other) => rank(one) - rank(other)).slice(0, most);
  }

  /** Returns the type of the first error that may pass. */
  #readAnswers({ pulls, sweeps }: Cycle, response: Response, draft: Draft): string | null {
    const failures = [
      ...pulls.map((pull) => [pull.type, this.#readPull(pull, response, draft)] as const),
      ...sweeps.map((sweep) => [sweep.type, this.#readSweep(sweep, response, draft)] as const),
    ];
    for (const [type, failure] of failures) {
      if (failure !== null && !TRANSIENT.has(failure)) this.#refuse(type);
    }
    const passing = failures.find(([, failure]) => failure !== null && TRANSIENT.has(failure));
    return passing?.[1] ?? null;
  }

  /** One type that can't be read doesn't stop the others. */
  #refuse(type: string): void {
    this.#refused.add(type);
    for (const known of [this.#due, this.#sweeps, this.#swept]) known.delete(type);
  }

  #types(): readonly TypeTable[] {
    return this.#options.types().filter(({ name }) => !this.#refused.has(name));
  }

  #readPull(pull: Pull, response: Response, draft: Draft): string | null {
    const { type } = pull;
    const { objects, cursors, covered } = draft;
    // The type is read anew: its state has been forgotten since the request.
    if (this.#stateOf(type) !== pull.since) {
      this.#due.add(type);
      return null;
    }
    const result = readPull(pull, response);
    if (result.kind === 'failed') return result.error;
    if (result.kind === 'lost') {
      cursors.set(type, null);
      this.#sweepAnew(type);
      return null;
    }
    take(objects, type, result.objects);
    const swept = this.#swept.get(type);
    const ids = new Set([...(swept?.seen ?? []), ...result.objects.keys()]);
    draft.news.set(type, { ids, isWhole: result.isWhole });
    if (result.isWhole || swept === undefined) cursors.set(type, result.cursor);
    if (result.isWhole) {
      this.#dropUnseen(type, objects);
      covered.add(type);
    } else {
      if (swept !== undefined) this.#swept.set(type, { since: result.cursor, seen: ids });
      this.#due.add(type);
    }
    return null;
  }

  #readSweep(sweep: Sweep, response: Response, { objects }: Draft): string | null {
    const { type } = sweep;
    if (this.#sweeps.get(type) !== sweep) return null;
    const result = readSweep(sweep, this.#options.limits().maxObjectsInGet, response);
    if (result.kind === 'failed') return result.error;
    take(objects, type, result.objects);
    if (result.isLast) {
      this.#sweeps.delete(type);
      const { from, seen } = result.sweep;
      this.#swept.set(type, { since: from ?? '', seen });
      // Behind the last page comes a /changes, for what has changed since the first one.
      this.#due.add(type);
    } else this.#sweeps.set(type, result.sweep);
    return null;
  }

  /** Returns the state that the objects of a type have reached; null where it is unknown. */
  #stateOf(type: string): string | null {
    return this.#swept.get(type)?.since ?? this.#options.replica.cursor(type);
  }

  #sweepAnew(type: string): void {
    this.#swept.delete(type);
    const table = this.#options.types().find(({ name }) => name === type);
    this.#sweeps.set(type, startSweep(type, table?.methods.includes('query') ?? false));
  }

  /** A sweep is over: takes away what it has not seen, and nobody has made since. */
  #dropUnseen(type: string, objects: Objects): void {
    const swept = this.#swept.get(type);
    if (swept === undefined) return;
    this.#swept.delete(type);
    const ofType = objects.get(type) ?? new Map<string, JsonObject | null>();
    for (const { id } of this.#options.replica.baseRows(type)) {
      if (!swept.seen.has(id) && !ofType.has(id)) ofType.set(id, null);
    }
    objects.set(type, ofType);
  }
}

/** Returns the type of an error that was thrown; what isn't ours counts as a lost answer. */
function typeOf(error: unknown): string {
  const type = (error as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' ? type : 'transport';
}

/** Returns whether a request was refused as a whole since it is too large. */
function isTooLarge(error: unknown): boolean {
  const { status, type, limit } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return status === 413 || (type === 'limit' && limit !== 'maxConcurrentRequests');
}

function take(objects: Objects, type: string, more: ReadonlyMap<string, JsonObject | null>): void {
  const ofType = objects.get(type) ?? new Map<string, JsonObject | null>();
  for (const [id, object] of more) ofType.set(id, object);
  objects.set(type, ofType);
}
