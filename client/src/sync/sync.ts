import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { ServerList } from '../store/list-state.js';
import type { Log } from '../store/log.js';
import type { Change, Coverage, Replica } from '../store/replica.js';
import type { PendingWrite } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import { Backoff } from './backoff.js';
import { FetchQueue, type FetchRequest } from './fetch-queue.js';
import { callsOf, type FlushCall, findHeld, planFlush, setCall } from './flush.js';
import type { ListAnswers, ListObjects, ListRequest, ListSync } from './list-sync.js';
import { findOrphans } from './orphans.js';
import { type Outcome, type Repair, readFlush } from './outcomes.js';
import { type Pull, pullCalls, readPull, type Stale } from './pull.js';
import {
  createdSince,
  findLost,
  type Lost,
  type Recovery,
  recover,
  recoveryCall,
} from './recovery.js';
import { readSweep, type Sweep, startSweep, sweepCalls } from './sweep.js';
import { MOST_FAILURES, TRANSIENT } from './transient.js';
import { findConflicts, findWaiting } from './unchanged.js';
import { answerOf, type Wire } from './wire.js';

const CORE = 'urn:ietf:params:jmap:core';
export const ONCE = 'urn:jmapsmith:once';
/** Calls of a /changes with its gets, and of a page of a sweep. */
const CALLS_OF_A_PULL = 3;
const CALLS_OF_A_SWEEP = 3;
/** Calls of a list: what has changed, a page, and the objects of both. */
const CALLS_OF_A_LIST = 4;

/** A type with more objects is not kept whole, unless the program wants it. */
const MOST_WHOLE = 10_000;

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
  /** Returns the types of which a copy is kept, and the server's limits, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly limits: () => SyncLimits;
  /** Returns how much of a type the program wants to keep; undefined: it doesn't say. */
  readonly coverageOf?: (type: string) => Coverage | undefined;
  /** Returns whether the server makes calls of the same `onceKey` once. */
  readonly hasOnceKeys: () => boolean;
  /**
   * Makes a change with the ends of the writes that it takes out of the log, and tells whoever
   * looks at it. Resolves once it is durable; false where it never will be.
   */
  readonly commit: (change: Change, outcomes: readonly Outcome[]) => Promise<boolean>;
  /** Returns whether an unsent write must not be sent: a later client would send it once more. */
  readonly isHeld: (write: PendingWrite) => boolean;
  /** Returns a refused write as it is sent once more; null: the refusal is final. */
  readonly repair?: Repair;
  /**
   * Is told how each request went: null, or the type of the error; and whether nothing is left to
   * do.
   */
  readonly report?: (failure: string | null, isDone: boolean) => void;
  /** Makes the unsent writes of the log as few as they can be. */
  readonly tidy: () => void;
  /** Does work while no other tab makes cycles, behind what they have committed. */
  readonly takeTurn: (work: () => Promise<boolean>) => Promise<boolean>;
  /** Returns whether another tab has taken the turn: what this one commits is void. */
  readonly isFenced: () => boolean;
  readonly backoff?: Backoff;
}

/** Objects of types by their ids; null: gone. */
type Objects = Map<string, Map<string, JsonObject | null>>;

/** The calls of one request. */
interface Cycle {
  readonly calls: readonly FlushCall[];
  readonly pulls: readonly Pull[];
  readonly sweeps: readonly Sweep[];
  readonly lists: ListRequest | null;
  readonly wanted: FetchRequest;
  /** Keys of calls that were planned before: an earlier request may have had them. */
  readonly earlier: ReadonlySet<string | null>;
  /** A call whose answer was lost: nothing else is written until its outcome is known. */
  readonly lost: Lost | null;
}

/** A commit that is being put together. */
interface Draft {
  readonly objects: Objects;
  readonly cursors: Map<string, string | null>;
  readonly coverage: Map<string, Coverage>;
  readonly lists: Map<string, ServerList>;
  /** Objects that are ahead of the states of their types: /changes may tell nothing of them. */
  readonly early: Map<string, ReadonlySet<string>>;
  /** Types whose changes came; true: there are no further ones. */
  readonly pulled: Map<string, boolean>;
}

/**
 * A sweep from its first page on, until /changes has nothing more to tell. Objects that it has not
 * seen go in the end. The copy has no state until then: a program that ends in between reads all of
 * them anew.
 */
interface Swept {
  readonly since: string;
  readonly seen: readonly (readonly string[])[];
}

/**
 * Keeps a copy of an account in step with its server: sends the log, and reads what has changed.
 * One cycle runs at a time, so an older answer never comes behind a newer one.
 */
export class Sync {
  readonly #options: SyncOptions;
  readonly #backoff: Backoff;
  readonly #sweeps = new Map<string, Sweep>();
  readonly #swept = new Map<string, Swept>();
  /** Objects that have to be read before the states of their types move on. */
  readonly #stale = new Map<string, Stale>();
  readonly #wanted: FetchQueue;
  /** Null: there was no list yet that only the server can decide. */
  #lists: ListSync | null = null;
  /** Types that the server refuses to tell of, for as long as its session is the same. */
  readonly #refused = new Set<string>();
  /** How often the server has failed at a type, one time after the other. */
  readonly #failures = new Map<string, number>();
  /** Types whose changes have not been asked for since the last wish. */
  readonly #due = new Set<string>();
  /** States of types that are due no more once they have reached them. */
  readonly #told = new Map<string, string>();
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
    this.#wanted = new FetchQueue(options.replica);
  }

  /** Returns whether changes have been wished for that no request has asked for. */
  get isDue(): boolean {
    for (const [type, state] of this.#told) {
      if (this.#options.replica.cursor(type) !== state) continue;
      this.#told.delete(type);
      this.#due.delete(type);
    }
    return this.#due.size > 0 || this.#lists?.isDue === true;
  }

  /** Has the next cycles ask for all changes, or for those of some types, without starting one. */
  note(types?: Iterable<string>): void {
    this.#isWished = true;
    const names = new Set(this.#types().map(({ name }) => name));
    const due = new Set(types === undefined ? names : [...types].filter((type) => names.has(type)));
    for (const name of due) {
      this.#due.add(name);
      this.#told.delete(name);
    }
    this.#lists?.note(due);
  }

  /** Has the next cycles bring types to the states that the server tells. */
  noteStates(states: Readonly<Record<string, string>>): void {
    const news = this.#types().flatMap(({ name }) => {
      const state = states[name];
      return state === undefined || state === this.#options.replica.cursor(name)
        ? []
        : [[name, state] as const];
    });
    const free = news.filter(([type]) => !this.#due.has(type) || this.#told.has(type));
    this.note(news.map(([type]) => type));
    for (const [type, state] of free) this.#told.set(type, state);
  }

  /** Does what is left to do. */
  goOn(): void {
    if (this.#hasMore()) this.#start();
  }

  #start(): void {
    if (this.#running !== null || this.#isClosed) return;
    this.#running = this.#run();
  }

  /**
   * Asks for a cycle, for all types or for some: one that runs already isn't enough, another one
   * follows it.
   */
  want(types?: Iterable<string>): void {
    this.note(types);
    this.#start();
  }

  /** Asks for a list that somebody looks at from now on. */
  wantList(name: string, lists: ListSync): void {
    this.#lists = lists;
    lists.want(name);
    this.want([]);
  }

  /** Asks for objects that are not there. */
  fetch(type: string, ids: Iterable<string>): void {
    this.#wanted.add(type, ids);
    if (this.#wanted.types.has(type)) this.want([]);
  }

  /** Returns whether the server tells nothing of a type, or of a list. */
  isRefused(type: string, list?: string): boolean {
    const isFailing = (this.#failures.get(type) ?? 0) >= MOST_FAILURES;
    return (
      isFailing ||
      this.#refused.has(type) ||
      (list !== undefined && this.#lists?.isRefused(list) === true)
    );
  }

  /** Another tab has read these types and lists. */
  follow(
    types: Iterable<string>,
    lists: Iterable<ServerList> = [],
    moved: Iterable<string> = [],
  ): void {
    this.#lists?.note(new Set(moved));
    for (const { name, type } of lists) {
      const state = this.#told.get(type);
      if (state !== undefined && state === this.#options.replica.cursor(type))
        this.#lists?.drop(name);
    }
    for (const type of types) {
      for (const known of [this.#sweeps, this.#swept, this.#stale]) known.delete(type);
    }
    if (this.#lists?.isDue === true) this.#start();
  }

  /** Has a new session: forgets how far these types have been read. */
  forget(types: Iterable<string>): void {
    this.#refused.clear();
    this.#lists?.forget();
    this.#share = 1;
    this.follow(types);
  }

  /** Asks for a cycle at once, even where the last one has failed and its pause isn't over. */
  wake(types?: Iterable<string>): void {
    this.note(types);
    this.resume();
  }

  /** Does what is left to do at once, even where the last cycle has failed. */
  resume(): void {
    this.#backoff.reset();
    this.#wake?.();
    this.#start();
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
      const isDone = await this.#options.takeTurn(() => this.#work()).catch(() => false);
      if (this.#isClosed || (isDone && !this.#hasMore())) break;
      // A server that never comes to an end is asked as rarely as one that fails.
      if (!isDone) await this.#pause();
    }
    this.#running = null;
  }

  /** Makes cycles. Resolves to true when nothing is left to do, to false where it has to wait. */
  async #work(): Promise<boolean> {
    while (!this.#isClosed && !this.#options.isFenced()) {
      if (!this.#hasMore()) {
        this.#options.report?.(null, true);
        return true;
      }
      // Without an answer the outcome is unknown: the same calls go out again, and are made once.
      const failure = await this.#cycle().catch(typeOf);
      if (this.#isClosed || this.#options.isFenced()) break;
      const isDone = failure === null && !this.#hasMore();
      this.#options.report?.(failure, isDone);
      if (isDone) return true;
      if (failure !== null || (this.#isStuck && !this.#isWished)) break;
    }
    return false;
  }

  #hasMore(): boolean {
    const { log } = this.#options.replica;
    const hasWrites = log.length > this.#findHeld().size;
    return hasWrites || this.isDue || this.#sweeps.size > 0 || this.#wanted.types.size > 0;
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
    const { replica, wire } = this.#options;
    const lost = this.#findLost();
    const earlier = new Set(replica.log.map(({ sentAs }) => sentAs));
    await this.#plan();
    if (this.#isClosed || this.#options.isFenced()) return null;
    const cycle = this.#makeCycle(lost, earlier);
    const request = this.#requestOf(cycle);
    this.#isStuck = request.methodCalls.length === 0;
    if (this.#isStuck) return null;
    for (const { type } of cycle.pulls) this.#due.delete(type);
    const behind = new Set(this.#swept.keys());
    this.#isWished = false;
    let failure: string | null = 'transport';
    try {
      const response = await wire.send(request);
      const read = this.#readResponse(cycle, response);
      failure = read.failure;
      this.#isStuck = !read.hasMoved && !read.hasAsked && !this.#hasPaged(cycle, behind);
      if (failure === null && (read.hasMoved || !this.#hasMore())) this.#backoff.reset();
    } catch (error) {
      failure = typeOf(error);
      if (isTooLarge(error) && this.#divide(cycle)) failure = null;
    } finally {
      if (failure !== null) this.#repeat(cycle);
    }
    return failure;
  }

  /** Commits the answers of a request. Returns whether they have brought anything further. */
  #readResponse(cycle: Cycle, response: Response) {
    const { replica, commit } = this.#options;
    const answers = cycle.calls.map((call) => ({ call, answer: answerOf(response, call.onceKey) }));
    const flush = readFlush(replica, answers, this.#options.repair);
    const draft: Draft = {
      objects: new Map(flush.change.objects),
      cursors: new Map(),
      coverage: new Map(),
      lists: new Map(),
      early: new Map(),
      pulled: new Map(),
    };
    for (const { type, id } of flush.change.aliases?.values() ?? [])
      this.#noteEarly(type, [id], draft);
    let failure = this.#readAnswers(cycle, response, draft) ?? flush.failure;
    if (flush.isTooLarge) this.#share /= 2;
    const fetched = this.#wanted.read(cycle.wanted, response);
    for (const answer of fetched.objects) this.#takeEarly(answer, draft);
    const recovery = this.#recover(cycle, response, draft);
    const outcomes = [...flush.outcomes, ...(recovery?.outcomes ?? [])];
    const lists = this.#lists?.read(cycle.lists, response, outcomes) ?? null;
    failure = this.#takeLists(lists, draft) ?? fetched.failure ?? failure;
    void commit({ ...flush.change, ...recovery?.change, ...draft }, outcomes);
    const isRead = cycle.pulls.some((pull) => this.#isAhead(pull, draft));
    const hasEnded = outcomes.length > 0 || recovery?.isDone === true;
    return {
      failure,
      hasMoved: hasEnded || isRead || lists?.hasMoved === true,
      hasAsked: flush.isTooLarge || fetched.objects.length > 0,
    };
  }

  /** Returns whether a pull has brought its type further, or to its end. */
  #isAhead({ type, since, stale }: Pull, { coverage }: Draft): boolean {
    const state = this.#stateOf(type);
    const isAhead = this.#stale.get(type) !== (stale ?? undefined);
    return coverage.has(type) || (state !== null && state !== since) || isAhead;
  }

  /** Has what a request has asked for asked for once more. */
  #repeat({ pulls, lists }: Cycle): void {
    for (const { type } of pulls) this.#due.add(type);
    for (const { name } of lists?.lists ?? []) this.#lists?.want(name);
  }

  /**
   * Returns whether a sweep has begun or gone on. It doesn't count where it begins again straight
   * behind another one, of the types in `behind`.
   */
  #hasPaged({ pulls, sweeps }: Cycle, behind: ReadonlySet<string>): boolean {
    const hasGoneOn = ({ type, anchor }: Sweep): boolean => {
      const next = this.#sweeps.get(type)?.anchor ?? null;
      return !this.#sweeps.has(type) || (next !== null && next !== anchor);
    };
    const hasBegun = ({ type }: Pull): boolean => this.#sweeps.has(type) && !behind.has(type);
    return sweeps.some(hasGoneOn) || pulls.some(hasBegun);
  }

  /**
   * Makes the next request smaller than this one, of which the server ran nothing. A write alone
   * that is too large is refused. Returns false where nothing can be made smaller.
   */
  #divide(cycle: Cycle): boolean {
    const { calls, earlier } = cycle;
    const { replica, commit } = this.#options;
    this.#repeat(cycle);
    this.#share = Math.max(this.#share / 2, SMALLEST_SHARE);
    // Calls that an earlier request had may have been made.
    const fresh = calls.filter(({ onceKey }) => !earlier.has(onceKey));
    if (fresh.length === 0) return this.#refuseList(cycle);
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

  /** A list alone that is too large is refused. */
  #refuseList({ calls, pulls, sweeps, lists }: Cycle): boolean {
    const [only, ...others] = lists?.lists ?? [];
    const isAlone = calls.length + pulls.length + sweeps.length + others.length === 0;
    if (only !== undefined && isAlone) this.#lists?.refuse(only.name);
    return only !== undefined && isAlone;
  }

  /**
   * Puts writes into calls. They are sent once that is durable: their keys let the server tell a
   * call that comes again after a crash.
   */
  async #plan(): Promise<void> {
    const { replica, commit, isHeld, tidy } = this.#options;
    if (this.#findLost() !== null) return;
    tidy();
    this.#endConflicts();
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
    const held = this.#findWaiting();
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

  /** Returns the writes that are not sent now: they are held, or their turn hasn't come. */
  #findWaiting(): ReadonlySet<PendingWrite> {
    const held = this.#findHeld();
    return new Set([...held, ...findWaiting(this.#options.replica, held)]);
  }

  #endConflicts(): void {
    const { replica, commit } = this.#options;
    const outcomes = [...findOrphans(replica), ...findConflicts(replica, this.#findWaiting())];
    if (outcomes.length === 0) return;
    const ended = new Set(outcomes.map(({ write }) => write));
    void commit({ log: replica.log.filter((write) => !ended.has(write)) }, outcomes);
  }

  /** At the begin of a cycle, a call that was sent has lost its answer. */
  #findLost(): Lost | null {
    return this.#options.hasOnceKeys() ? null : findLost(this.#options.replica.log);
  }

  /** Ends what has come of a lost call; all of it once all changes of its type are there. */
  #recover({ lost }: Cycle, response: Response, { objects, pulled }: Draft): Recovery | null {
    const isWhole = pulled.get(lost?.type ?? '');
    if (lost === null || isWhole === undefined) return null;
    const ofType = objects.get(lost.type);
    const missing = createdSince(lost, response).filter((id) => ofType?.has(id) !== true);
    if (isWhole) this.#wanted.add(lost.type, missing);
    if (this.#wanted.types.has(lost.type)) return null;
    return recover(lost, this.#options.replica, { objects: ofType, isWhole }, response);
  }

  #makeCycle(lost: Lost | null, earlier: Cycle['earlier']): Cycle {
    const { replica, limits, accountId } = this.#options;
    if (lost !== null) this.#due.add(lost.type);
    const { maxCallsInRequest: all } = limits();
    // One pull has room in any case, or nothing would be read any more.
    const maxCallsInRequest = Math.max(this.#shareOf(all), Math.min(all, 1 + CALLS_OF_A_PULL));
    const names = new Set(this.#types().map(({ name }) => name));
    for (const name of names) {
      if (this.#isUnread(name) && !this.#sweeps.has(name)) this.#sweepAnew(name);
    }
    // The user's access may have changed.
    for (const known of this.#reading())
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    for (const name of this.#wanted.types) if (!names.has(name)) this.#wanted.delete(name);
    const calls = lost === null ? callsOf(replica.log).slice(0, this.#maxCalls()) : [];
    this.#lists?.note(new Set(calls.map(({ type }) => type)));
    let room = maxCallsInRequest - calls.length - (lost === null ? 0 : 1);
    // Lists on screen don't wait until all types are read.
    const hasRoom = this.#lists?.isDue === true && room >= CALLS_OF_A_PULL + CALLS_OF_A_LIST;
    const pulls = this.#makePulls(calls, room - (hasRoom ? CALLS_OF_A_LIST : 0));
    room -= pulls.flatMap(pullCalls).length;
    const options = { accountId, maxObjectsInGet: limits().maxObjectsInGet };
    // Their objects may be those of a call whose answer was lost.
    const except = lost?.type;
    const lists = this.#lists?.plan({ ...options, room, maxCalls: all, except }) ?? null;
    room -= lists?.calls.length ?? 0;
    const wanted = this.#wanted.plan(room, options);
    room -= wanted.calls.length;
    const sweeps = [...this.#sweeps.values()].slice(0, Math.floor(room / CALLS_OF_A_SWEEP));
    return { calls, pulls, sweeps, lists, wanted, earlier, lost };
  }

  #requestOf({ calls, pulls, sweeps, lists, wanted, lost }: Cycle) {
    const { replica, accountId, types, limits } = this.#options;
    const hasOnceKeys = this.#options.hasOnceKeys();
    const capabilities = new Set(types().map(({ capability }) => capability));
    const methodCalls: Invocation[] = [
      ...(lost === null ? [] : [recoveryCall(lost, accountId)]),
      ...calls.map((call) => setCall(accountId, call, replica, hasOnceKeys)),
      ...pulls.flatMap(pullCalls),
      ...(lists?.calls ?? []),
      ...wanted.calls,
      ...sweeps.flatMap((sweep) => sweepCalls(sweep, accountId, limits().maxObjectsInGet)),
    ];
    const using = [CORE, ...(hasOnceKeys ? [ONCE] : []), ...capabilities];
    return { using, methodCalls };
  }

  /** Types that were written come first: their answers bring what the writes have done besides. */
  #makePulls(calls: readonly FlushCall[], room: number): readonly Pull[] {
    const { accountId, limits, replica } = this.#options;
    const written = new Set(calls.map(({ type }) => type));
    const due = this.#types().filter(({ name }) => this.#due.has(name) || written.has(name));
    const isCrowded = due.length * CALLS_OF_A_PULL > room;
    const pulls = due.flatMap(({ name }): readonly Pull[] => {
      const since = this.#stateOf(name);
      if (since === null) return [];
      const isBrief = isCrowded && !written.has(name);
      const isKnown = this.#isPartial(name) ? (id: string) => replica.has(name, id) : null;
      const stale = this.#stale.get(name) ?? null;
      const { maxObjectsInGet: maxChanges } = limits();
      return [{ type: name, since, accountId, maxChanges, isKnown, isBrief, stale }];
    });
    const rank = ({ type }: Pull): number => (written.has(type) ? 0 : 1);
    pulls.sort((one, other) => rank(one) - rank(other));
    let left = room;
    return pulls.filter((pull) => {
      left -= pullCalls(pull).length;
      return left >= 0;
    });
  }

  /** Returns the type of the first error that may pass. */
  #readAnswers({ pulls, sweeps }: Cycle, response: Response, draft: Draft): string | null {
    const failures = [
      ...pulls.map((pull) => [pull.type, this.#readPull(pull, response, draft)] as const),
      ...sweeps.map((sweep) => [sweep.type, this.#readSweep(sweep, response, draft)] as const),
    ];
    const passing = failures.filter(([type, failure]) => this.#judge(type, failure));
    return passing[0]?.[1] ?? null;
  }

  /**
   * Returns whether the failure of a type holds the others up. A type that fails again and again is
   * asked for when somebody wishes for it, and not before.
   */
  #judge(type: string, failure: string | null): boolean {
    const count = failure === 'serverFail' ? (this.#failures.get(type) ?? 0) + 1 : 0;
    this.#failures.set(type, count);
    if (failure === null) return false;
    if (!TRANSIENT.has(failure)) this.#refuse(type);
    else if (count < MOST_FAILURES) return true;
    for (const known of this.#reading()) known.delete(type);
    return false;
  }

  /** One type that can't be read doesn't stop the others. */
  #refuse(type: string): void {
    this.#refused.add(type);
    this.#wanted.delete(type);
  }

  /** Returns what is going on for types, by their names. */
  #reading() {
    return [this.#due, this.#sweeps, this.#swept, this.#stale];
  }

  #types(): readonly TypeTable[] {
    return this.#options.types().filter(({ name }) => !this.#refused.has(name));
  }

  #readPull(pull: Pull, response: Response, draft: Draft): string | null {
    const { type } = pull;
    const { objects, cursors } = draft;
    // The type is read anew: its state has been forgotten since the request.
    if (this.#stateOf(type) !== pull.since || (this.#stale.get(type) ?? null) !== pull.stale) {
      this.#due.add(type);
      return null;
    }
    const result = readPull(pull, this.#earlyOf(type, draft), response);
    if (result.kind === 'failed') return result.error;
    const swept = this.#swept.get(type);
    if (result.kind === 'lost') {
      // A server that tells no changes at all is read anew each time.
      if (swept === undefined) {
        cursors.set(type, null);
        this.#sweepAnew(type);
      } else if (!this.#sweeps.has(type)) this.#endSweep(type, swept.since, draft);
      return null;
    }
    take(objects, type, result.objects);
    draft.early.set(type, new Set(result.early));
    if (result.stale === null) this.#stale.delete(type);
    else this.#stale.set(type, result.stale);
    if (!result.isWhole) this.#due.add(type);
    if (result.isWhole && !this.#sweeps.has(type)) {
      this.#endSweep(type, result.cursor, draft);
      return null;
    }
    draft.pulled.set(type, false);
    if (swept === undefined) cursors.set(type, result.cursor);
    else {
      const seen = [...swept.seen, [...result.objects.keys()]];
      this.#swept.set(type, { since: result.cursor, seen });
    }
    return null;
  }

  /** Has all objects of a type, as of a state. */
  #endSweep(type: string, state: string, { objects, cursors, coverage, ...draft }: Draft): void {
    this.#dropUnseen(type, objects, this.#earlyOf(type, draft));
    cursors.set(type, state);
    draft.pulled.set(type, true);
    draft.early.set(type, new Set());
    const reached = this.#isPartial(type) ? 'known' : 'all';
    if (this.#options.replica.coverage(type) !== reached) coverage.set(type, reached);
  }

  #readSweep(sweep: Sweep, response: Response, draft: Draft): string | null {
    const { type } = sweep;
    const { objects, coverage } = draft;
    if (this.#sweeps.get(type) !== sweep) return null;
    const result = readSweep(sweep, this.#options.limits().maxObjectsInGet, response);
    if (result.kind === 'failed') return result.error;
    if (result.kind === 'lost') {
      this.#sweepAnew(type);
      return null;
    }
    let { sweep: next, isLast } = result;
    if (this.#isLarge(sweep, result.total)) {
      const rest = this.#knownIds(type);
      next = { ...next, source: rest };
      isLast = rest.length === 0;
    } else take(objects, type, result.objects);
    if (Array.isArray(next.source)) coverage.set(type, 'known');
    const { since, seen } = this.#swept.get(type) ?? { since: next.from ?? '', seen: [] };
    const ids = [...result.objects.keys()];
    this.#swept.set(type, { since, seen: [...seen, ids] });
    if (isLast) this.#sweeps.delete(type);
    else this.#sweeps.set(type, next);
    // Objects of a newer state may go without a word, unless their changes are read soon.
    if (result.state !== since) this.#noteEarly(type, ids, draft);
    if (isLast || result.state !== since) this.#due.add(type);
    return null;
  }

  /** Returns the state that the objects of a type have reached; null where it is unknown. */
  #stateOf(type: string): string | null {
    return this.#swept.get(type)?.since ?? this.#options.replica.cursor(type);
  }

  #sweepAnew(type: string): void {
    this.#swept.delete(type);
    this.#stale.delete(type);
    const table = this.#options.types().find(({ name }) => name === type);
    const isPartial = this.#isPartial(type);
    const hasQuery = table?.methods.includes('query') === true;
    const source = isPartial ? this.#knownIds(type) : hasQuery ? 'query' : null;
    this.#sweeps.set(type, startSweep(type, source));
  }

  /** Returns whether a type has to be read from its begin. */
  #isUnread(type: string): boolean {
    const { replica } = this.#options;
    const isMissing = replica.coverage(type) === 'known' && !this.#isPartial(type);
    return this.#stateOf(type) === null || (isMissing && !this.#swept.has(type));
  }

  /** Returns whether only a part of a type is kept: the program's wish goes first. */
  #isPartial(type: string): boolean {
    const { replica, coverageOf } = this.#options;
    return (coverageOf?.(type) ?? replica.coverage(type)) === 'known';
  }

  #knownIds(type: string): readonly string[] {
    return Array.from(this.#options.replica.baseRows(type), ({ id }) => id);
  }

  /** Returns whether a type whose first page has come has too many objects to keep all of them. */
  #isLarge({ type, source, anchor }: Sweep, total: number | null): boolean {
    const { replica, coverageOf } = this.#options;
    if (source !== 'query' || anchor !== null || replica.coverage(type) !== null) return false;
    return coverageOf?.(type) === undefined && (total ?? 0) > MOST_WHOLE;
  }

  /** Takes the objects of lists, and asks for those that are missing. */
  #takeLists(answers: ListAnswers | null, draft: Draft): string | null {
    if (answers === null) return null;
    const { objects, lists } = draft;
    for (const [name, list] of answers.lists) lists.set(name, list);
    for (const answer of answers.objects) this.#takeEarly(answer, draft);
    for (const [type, ids] of answers.shown) {
      const ofType = objects.get(type);
      this.#wanted.add(
        type,
        ids.filter((id) => ofType?.has(id) !== true),
      );
    }
    return answers.failure;
  }

  /** Takes objects that came along besides the changes of their type. */
  #takeEarly({ type, objects, state }: ListObjects, draft: Draft): void {
    take(draft.objects, type, objects);
    const cursor = draft.cursors.get(type) ?? this.#options.replica.cursor(type);
    if (state === null || state !== cursor) this.#noteEarly(type, objects.keys(), draft);
  }

  /** Notes objects of which the client has heard nothing before. */
  #noteEarly(type: string, ids: Iterable<string>, draft: Draft): void {
    const { replica } = this.#options;
    const unheard = [...ids].filter((id) => !replica.has(type, id));
    if (unheard.length > 0)
      draft.early.set(type, new Set([...this.#earlyOf(type, draft), ...unheard]));
  }

  #earlyOf(type: string, { early }: Pick<Draft, 'early'>): ReadonlySet<string> {
    return early.get(type) ?? this.#options.replica.early(type);
  }

  /** A sweep is over: takes away what it has not seen, and nobody has made since. */
  #dropUnseen(type: string, objects: Objects, early: ReadonlySet<string>): void {
    const swept = this.#swept.get(type);
    if (swept === undefined) return;
    this.#swept.delete(type);
    // Of a part, each object was asked for by its id.
    if (this.#isPartial(type)) return;
    const ofType = objects.get(type) ?? new Map<string, JsonObject | null>();
    const seen = new Set(swept.seen.flat());
    for (const { id } of this.#options.replica.baseRows(type)) {
      if (!seen.has(id) && !early.has(id) && !ofType.has(id)) ofType.set(id, null);
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
