import { CORE } from '../call/session.js';
import type { ServerList } from '../store/list-state.js';
import type { Replica } from '../store/replica.js';
import type { Invocation, Request, Response } from '../transport/transport.js';
import { Draft } from './draft.js';
import { FetchQueue, type FetchRequest } from './fetch-queue.js';
import type { FlushCall } from './flush.js';
import type { ListAnswers, ListRequest, ListSync } from './list-sync.js';
import { Loop } from './loop.js';
import { OpenCalls, type Questions } from './open-calls.js';
import { Outbox } from './outbox.js';
import { type Pull, pullCalls } from './pull.js';
import { Readings } from './readings.js';
import { type Sweep, sweepCalls } from './sweep.js';
import { CALLS_OF_A_PULL, ONCE, type SyncOptions } from './sync-options.js';
import type { TypeReading } from './type-reading.js';

/** Calls of a list: what has changed, a page, and the objects of both. */
const CALLS_OF_A_LIST = 4;

/** How long a cycle waits for a session, or for code, that is on its way, ms. */
const PATIENCE = 1000;

/** The calls of one request. */
interface Cycle extends Questions {
  readonly calls: readonly FlushCall[];
  readonly pulls: ReadonlyMap<TypeReading, Pull>;
  readonly sweeps: ReadonlyMap<TypeReading, Sweep>;
  readonly lists: ListRequest | null;
  readonly wanted: FetchRequest;
}

/**
 * Keeps a copy of an account in step with its server: sends the log, and reads what has changed.
 * One cycle runs at a time, so an older answer never comes behind a newer one.
 */
export class Sync {
  readonly #options: SyncOptions;
  readonly #replica: Replica;
  readonly #loop: Loop;
  readonly #outbox: Outbox;
  readonly #readings: Readings;
  readonly #wanted: FetchQueue;
  readonly #openCalls: OpenCalls;
  /** Null: there was no list yet that only the server can decide. */
  #lists: ListSync | null = null;
  /** Something has been wished for since the last request began. */
  #isWished = false;
  /** The last request has brought nothing. */
  #isStuck = false;
  /** The last request has failed, and the next one is smaller: it needs no pause. */
  #isDivided = false;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#replica = options.replica;
    this.#loop = new Loop({
      work: () => options.takeTurn(() => this.#work()),
      hasMore: () => this.#hasMore(),
      backoff: options.backoff,
    });
    this.#readings = new Readings(options);
    this.#outbox = new Outbox(options, (type) => this.#isRefused(type));
    this.#wanted = new FetchQueue(options.replica);
    this.#openCalls = new OpenCalls(options, {
      outbox: this.#outbox,
      wanted: this.#wanted,
      isRefused: (type) => this.#isRefused(type),
      isEnded: () => this.#isEnded(),
    });
  }

  /** Returns whether changes have been wished for that no request has asked for. */
  get isDue(): boolean {
    return this.#readings.all.some(({ isDue }) => isDue) || this.#lists?.isDue === true;
  }

  /** How much is here of the types that are being read from their begin; null: unknown. */
  get progress(): number | null {
    return this.#readings.progress;
  }

  /** Has the next cycles ask for all changes, or for those of some types, without starting one. */
  note(types?: Iterable<string>): void {
    this.#isWished = true;
    const names = types && new Set(types);
    const due = this.#readings.current.filter(({ name }) => names?.has(name) ?? true);
    for (const reading of due) reading.want();
    this.#lists?.note(new Set(due.map(({ name }) => name)));
  }

  /** Has the next cycles bring types to the states that the server tells. */
  noteStates(states: Readonly<Record<string, string>>): void {
    this.#isWished = true;
    const due = this.#readings.current.filter((reading) => reading.wantState(states[reading.name]));
    this.#lists?.note(new Set(due.map(({ name }) => name)));
  }

  /** Does what is left to do. */
  goOn(): void {
    if (this.#hasMore()) this.#loop.start();
  }

  /**
   * Asks for a cycle, for all types or for some: one that runs already isn't enough, another one
   * follows it.
   */
  want(types?: Iterable<string>): void {
    this.note(types);
    this.#loop.start();
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
    const isFailing = this.#readings.get(type)?.isFailing === true;
    return isFailing || (list !== undefined && this.#lists?.isRefused(list) === true);
  }

  /** Another tab has read these types and lists. */
  follow(
    types: Iterable<string>,
    lists: Iterable<ServerList> = [],
    moved: Iterable<string> = [],
  ): void {
    this.#lists?.note(new Set(moved));
    for (const { name, type } of lists)
      if (this.#readings.get(type)?.hasReached) this.#lists?.drop(name);
    for (const type of types) this.#readings.get(type)?.forget();
    if (this.#lists?.isDue === true) this.#loop.start();
  }

  /** Has a new session: forgets how far these types have been read. */
  forget(types: Iterable<string>): void {
    for (const reading of this.#readings.all) reading.readmit();
    this.#lists?.forget();
    this.#outbox.forget();
    this.follow(types);
  }

  /** Asks for a cycle at once, even where the last one has failed and its pause isn't over. */
  wake(types?: Iterable<string>): void {
    this.note(types);
    this.resume();
  }

  /** Does what is left to do at once, even where the last cycle has failed. */
  resume(): void {
    this.#loop.resume();
  }

  /** Resolves when all writes are answered and all changes read that were there at the call. */
  async settle(): Promise<void> {
    this.wake();
    await this.#loop.settle();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  #isRefused(type: string): boolean {
    return this.#readings.get(type)?.isRefused === true;
  }

  #isEnded(): boolean {
    return this.#loop.isClosed || this.#options.isFenced();
  }

  /** Makes cycles. Resolves to true when nothing is left to do, to false where it has to wait. */
  async #work(): Promise<boolean> {
    const { report } = this.#options;
    while (!this.#isEnded()) {
      if (!this.#hasMore()) {
        report?.(null, true);
        return true;
      }
      // Without an answer the outcome is unknown: the same calls go out again, and are made once.
      const failure = await this.#cycle().catch(typeOf);
      if (this.#isEnded()) break;
      const isDone = failure === null && !this.#hasMore();
      report?.(failure, isDone);
      if (isDone) return true;
      const hasFailed = failure !== null && !this.#isDivided;
      if (hasFailed || (this.#isStuck && !this.#isWished)) break;
    }
    return false;
  }

  #hasMore(): boolean {
    const isReading = this.isDue || this.#readings.all.some(({ sweep }) => sweep !== null);
    return this.#outbox.hasWrites || isReading || this.#wanted.types.size > 0;
  }

  /**
   * Sends one request, and commits its answers. Resolves to null, or to the type of an error that
   * a part of it had.
   */
  async #cycle(): Promise<string | null> {
    this.#isStuck = false;
    this.#isDivided = false;
    // Another session may forget what has been read.
    await settled(this.#options.settleSession);
    if (this.#isEnded()) return null;
    const questions = await this.#openCalls.ask();
    const { lost, probe, isResting } = questions;
    const mayWrite = lost === null && probe === null && !isResting;
    if (mayWrite) await this.#options.planWith(() => this.#outbox.plan());
    if (this.#isEnded()) return null;
    const cycle = this.#makeCycle(questions, mayWrite ? this.#outbox.calls() : []);
    const request = this.#requestOf(cycle);
    this.#isStuck = request.methodCalls.length === 0;
    this.#isWished = false;
    if (this.#isStuck) return null;
    for (const reading of cycle.pulls.keys()) reading.isWished = false;
    const behind = this.#readings.all.filter(({ isSwept }) => isSwept);
    let failure: string | null = 'transport';
    try {
      const response = await this.#options.wire.send(request);
      // A list that was opened meanwhile shows what this answer makes.
      await settled(this.#options.settleLists);
      const read = this.#readResponse(cycle, response);
      const noted = await this.#openCalls.note(read.open);
      failure = read.failure ?? noted;
      this.#isStuck = !read.hasMoved && !read.hasAsked && !this.#hasPaged(cycle, behind);
      // Where a request looks for what has become of another one, that may fail again.
      const isSuccess = (read.hasMoved && mayWrite) || !this.#hasMore();
      if (failure === null && isSuccess) this.#loop.noteSuccess();
    } catch (error) {
      this.#loop.noteError(error);
      failure = typeOf(error);
      const { calls } = cycle;
      this.#isDivided = await this.#openCalls.divide(calls, cycle, error, () =>
        this.#refuseList(cycle),
      );
    } finally {
      if (failure !== null) this.#repeat(cycle);
    }
    return failure;
  }

  #makeCycle(questions: Questions, calls: readonly FlushCall[]): Cycle {
    const { lost, probe } = questions;
    const { accountId, limits } = this.#options;
    const { maxCallsInRequest: all, maxObjectsInGet } = limits();
    this.#beginReadings(lost?.isMade ? undefined : lost?.type);
    this.#lists?.note(new Set(calls.map(({ type }) => type)));
    // One pull has room in any case, or nothing would be read any more.
    const most = Math.max(
      this.#outbox.shareOf(all),
      Math.min(all, (calls.length || 1) + CALLS_OF_A_PULL),
    );
    let room = most - calls.length - this.#openCalls.callsOf(questions).length;
    // Lists on screen don't wait until all types are read.
    const hasRoom = this.#lists?.isDue === true && room >= CALLS_OF_A_PULL + CALLS_OF_A_LIST;
    const pulls = this.#readings.planPulls(calls, room - (hasRoom ? CALLS_OF_A_LIST : 0));
    room -= [...pulls.values()].flatMap(pullCalls).length;
    // Nothing else is to blame where this request fails.
    if (this.#outbox.isDivided && (calls.length > 0 || probe !== null)) room = 0;
    const options = { accountId, maxObjectsInGet };
    // Their objects may be those of a call whose answer was lost.
    const except = lost?.type;
    const lists = this.#lists?.plan({ ...options, room, maxCalls: all, except }) ?? null;
    room -= lists?.calls.length ?? 0;
    const wanted = this.#wanted.plan(room, options);
    room -= wanted.calls.length;
    const sweeps = this.#readings.planSweeps(room);
    return { ...questions, calls, pulls, sweeps, lists, wanted };
  }

  /** Begins to read the types that the account has now; `lost` is one to read in any case. */
  #beginReadings(lost: string | undefined): void {
    const reading = this.#readings.current.find(({ name }) => name === lost);
    if (reading !== undefined) reading.isWished = true;
    for (const { name } of this.#readings.begin()) this.#wanted.delete(name);
  }

  #requestOf(cycle: Cycle): Request {
    const { calls, pulls, sweeps, lists, wanted } = cycle;
    const { accountId, types, limits, hasOnceKeys } = this.#options;
    const { maxObjectsInGet } = limits();
    const capabilities = new Set(types().map(({ capability }) => capability));
    const createdIds: Record<string, string> = {};
    const methodCalls: Invocation[] = [
      ...this.#openCalls.callsOf(cycle),
      ...calls.map((call) => this.#outbox.invocationOf(call, createdIds)),
      ...[...pulls.values()].flatMap(pullCalls),
      ...wanted.calls,
      ...(lists?.calls ?? []),
      ...[...sweeps.values()].flatMap((sweep) => sweepCalls(sweep, accountId, maxObjectsInGet)),
    ];
    const using = [CORE, ...(hasOnceKeys() ? [ONCE] : []), ...capabilities];
    const isNamed = Object.keys(createdIds).length > 0;
    return { using, methodCalls, ...(isNamed && { createdIds }) };
  }

  /**
   * Commits the answers of a request, read in the order of its calls: later ones have newer
   * objects. Returns whether they have brought anything further.
   */
  #readResponse(cycle: Cycle, response: Response) {
    const flush = this.#outbox.read(cycle, response);
    const draft = new Draft(this.#replica, flush.change);
    const { maxObjectsInGet } = this.#options.limits();
    const log = flush.change.log ?? this.#replica.log;
    const unsettled = this.#openCalls.findTypes(cycle, log, response);
    const failures: (string | null)[] = [];
    for (const [reading, pull] of cycle.pulls) {
      if (unsettled.has(reading.name)) reading.isWished = true;
      else failures.push(reading.readPull(pull, response, draft));
    }
    const parts = cycle.wanted.parts.filter(({ type }) => !unsettled.has(type));
    const fetched = this.#wanted.read({ ...cycle.wanted, parts }, response);
    for (const answer of fetched.objects) draft.takeEarly(answer);
    const recovery = this.#openCalls.recover(cycle, response, draft);
    const outcomes = [...flush.outcomes, ...(recovery?.outcomes ?? [])];
    const lists = this.#lists?.read(cycle.lists, response, { outcomes, unsettled }) ?? null;
    for (const answer of lists?.objects ?? []) draft.takeEarly(answer);
    for (const [reading, sweep] of cycle.sweeps)
      if (!unsettled.has(reading.name))
        failures.push(reading.readSweep(sweep, maxObjectsInGet, response, draft));
    for (const { name, isRefused } of this.#readings.all) if (isRefused) this.#wanted.delete(name);
    this.#takeLists(lists, draft);
    failures.push(flush.failure, fetched.failure, lists?.failure ?? null);
    void this.#options.commit({ ...flush.change, ...recovery?.change, ...draft.change }, outcomes);
    const isAnswered = cycle.calls.length > 0 && flush.open.length === 0;
    failures.push(this.#openCalls.end(response, isAnswered, recovery));
    const isRead = [...cycle.pulls].some(([reading, pull]) => reading.isAhead(pull, draft));
    const hasEnded = outcomes.length > 0 || recovery?.hasMoved === true || cycle.probe !== null;
    return {
      /** The first error that may pass. */
      failure: failures.find(Boolean) ?? null,
      hasMoved: hasEnded || isRead || lists?.hasMoved === true,
      hasAsked: flush.isTooLarge || flush.open.length > 0 || fetched.objects.length > 0,
      open: flush.open,
    };
  }

  /** Takes lists, and asks for the objects that they lack. */
  #takeLists(answers: ListAnswers | null, draft: Draft): void {
    if (answers === null) return;
    for (const [name, list] of answers.lists) draft.lists.set(name, list);
    for (const [type, ids] of answers.shown) {
      const objects = draft.objects(type);
      this.#wanted.add(
        type,
        ids.filter((id) => !objects.has(id)),
      );
    }
  }

  /** Has what a request has asked for asked for once more. */
  #repeat({ pulls, lists }: Cycle): void {
    for (const reading of pulls.keys()) reading.isWished = true;
    for (const { name } of lists?.lists ?? []) this.#lists?.want(name);
  }

  /**
   * Returns whether a sweep has begun or gone on. It doesn't count where it begins again straight
   * behind another one, of the types in `behind`.
   */
  #hasPaged({ pulls, sweeps }: Cycle, behind: readonly TypeReading[]): boolean {
    return (
      [...sweeps].some(([reading, sweep]) => reading.hasPaged(sweep)) ||
      [...pulls.keys()].some((reading) => reading.sweep !== null && !behind.includes(reading))
    );
  }

  /** A list alone that is too large is refused. */
  #refuseList({ calls, pulls, sweeps, lists, wanted }: Cycle): boolean {
    const [only, ...others] = lists?.lists ?? [];
    const beside = calls.length + pulls.size + sweeps.size + others.length + wanted.calls.length;
    const isAlone = beside === 0;
    if (only !== undefined && isAlone) this.#lists?.refuse(only.name);
    return only !== undefined && isAlone;
  }
}

/** Waits for something that is on its way, and no longer than it may hold up a cycle. */
async function settled(wait: (() => Promise<void>) | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE);
  });
  await Promise.race([wait?.(), isLate]);
  clearTimeout(timer);
}

/** Returns the type of an error; one that isn't ours is a fault of the answer, or of the client. */
function typeOf(error: unknown): string {
  const { type, status } = (error ?? {}) as { readonly type?: unknown; readonly status?: number };
  // A server that is busy, or a gateway in its place.
  const isAway = status === 429 || Number(status) > 501;
  return isAway ? 'transport' : typeof type === 'string' ? type : 'fault';
}
