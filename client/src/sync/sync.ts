import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { Change, Replica } from '../store/replica.js';
import type { Invocation, Response } from '../transport/transport.js';
import { Backoff } from './backoff.js';
import { callsOf, planFlush, setCall } from './flush.js';
import { type FlushResult, type Outcome, readFlush } from './outcomes.js';
import { type Pull, pullCalls, readPull } from './pull.js';
import { readSweep, type Sweep, startSweep, sweepCalls } from './sweep.js';
import { answerOf, type Wire } from './wire.js';

const CORE = 'urn:ietf:params:jmap:core';
const ONCE = 'urn:jmapsmith:once';
/** Calls of a /changes with its gets. */
const CALLS_OF_A_PULL = 3;

export interface SyncLimits {
  readonly maxCallsInRequest: number;
  readonly maxObjectsInGet: number;
  readonly maxObjectsInSet: number;
}

export interface SyncOptions {
  readonly accountId: string;
  readonly replica: Replica;
  /** The types that are kept whole. */
  readonly types: readonly TypeTable[];
  readonly wire: Wire;
  readonly limits: SyncLimits;
  /** Makes a change durable, and tells whoever looks at it. */
  readonly commit: (change: Change) => void;
  /** Is told the end of each write. */
  readonly end: (outcome: Outcome) => void;
  readonly backoff?: Backoff;
}

/** How a part of a cycle has ended. */
type Progress = 'done' | 'goes on' | 'failed';

/** Objects of types by their ids; null: gone. */
type Objects = Map<string, Map<string, JsonObject | null>>;

/**
 * Keeps a copy of an account in step with its server: sends the log, and reads what has changed.
 * One cycle runs at a time, so an older answer never comes behind a newer one.
 */
export class Sync {
  readonly #options: SyncOptions;
  readonly #backoff: Backoff;
  readonly #sweeps = new Map<string, Sweep>();
  /** Objects that a sweep has not seen: they go once /changes has nothing more to tell. */
  readonly #seen = new Map<string, ReadonlySet<string>>();
  #running: Promise<void> | null = null;
  #isWanted = false;
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
    for (const table of options.types) {
      if (options.replica.cursor(table.name) === null) this.#sweepAnew(table.name);
    }
  }

  /** Asks for a cycle: one that runs already isn't enough, another one follows it. */
  want(): void {
    this.#isWanted = true;
    this.#wake?.();
    if (this.#running !== null || this.#isClosed) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when all writes are answered and all changes read that were there at the call. */
  async settle(): Promise<void> {
    this.want();
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#isWanted = false;
      // Without an answer the outcome is unknown: the same calls go out again, and are made once.
      const progress = await this.#cycle().catch((): Progress => 'failed');
      if (progress === 'failed') await this.#pause();
      else this.#backoff.reset();
      if (progress === 'done' && !this.#isWanted && !this.#hasMore()) return;
    }
  }

  #hasMore(): boolean {
    return this.#options.replica.log.length > 0 || this.#sweeps.size > 0;
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

  /** Sends one request, and commits its answers. */
  async #cycle(): Promise<Progress> {
    const { replica, commit, limits, wire, accountId, types } = this.#options;
    const maxCalls = Math.max(1, limits.maxCallsInRequest - CALLS_OF_A_PULL);
    const planned = planFlush(replica, { maxCalls, maxObjectsInSet: limits.maxObjectsInSet });
    if (planned.some((write, index) => write !== replica.log[index])) commit({ log: planned });
    const calls = callsOf(replica.log);
    const written = new Set(calls.map(({ type }) => type));
    const room = limits.maxCallsInRequest - calls.length;
    const pulls = this.#pulls(written, Math.floor(room / CALLS_OF_A_PULL));
    const sweep =
      calls.length + pulls.length * CALLS_OF_A_PULL + 2 <= limits.maxCallsInRequest
        ? ([...this.#sweeps.values()][0] ?? null)
        : null;
    const methodCalls: Invocation[] = [
      ...calls.map((call) => setCall(accountId, call, replica)),
      ...pulls.flatMap(pullCalls),
      ...(sweep === null ? [] : sweepCalls(sweep, accountId, limits.maxObjectsInGet)),
    ];
    const capabilities = new Set(types.map(({ capability }) => capability));
    const response = await wire.send({ using: [CORE, ONCE, ...capabilities], methodCalls });
    const answers = calls.map((call) => ({ call, answer: answerOf(response, call.onceKey) }));
    const flush = readFlush(replica, answers);
    const progress = this.#commit(flush, pulls, sweep, response);
    for (const outcome of flush.outcomes) this.#options.end(outcome);
    return flush.isTransient ? 'failed' : progress;
  }

  /** Types that were written come first: their answers bring what the writes have done besides. */
  #pulls(written: ReadonlySet<string>, most: number): readonly Pull[] {
    const { replica, types, accountId, limits } = this.#options;
    const due = types.flatMap(({ name }) => {
      const since = replica.cursor(name);
      const maxChanges = limits.maxObjectsInGet;
      return since === null ? [] : [{ type: name, since, accountId, maxChanges }];
    });
    const isWritten = ({ type }: Pull): number => (written.has(type) ? 0 : 1);
    return due.sort((one, other) => isWritten(one) - isWritten(other)).slice(0, most);
  }

  #commit(
    flush: FlushResult,
    pulls: readonly Pull[],
    sweep: Sweep | null,
    response: Response,
  ): Progress {
    const objects: Objects = new Map(flush.change.objects);
    const cursors = new Map<string, string | null>();
    const results = pulls.map((pull) => this.#readPull(pull, response, objects, cursors));
    if (sweep !== null) results.push(this.#readSweep(sweep, response, objects, cursors));
    this.#options.commit({ ...flush.change, objects, cursors });
    return worstOf(results);
  }

  #readPull(
    pull: Pull,
    response: Response,
    objects: Objects,
    cursors: Map<string, string | null>,
  ): Progress {
    const { type } = pull;
    const result = readPull(pull, response);
    if (result.kind === 'failed') return 'failed';
    if (result.kind === 'lost') {
      cursors.set(type, null);
      this.#sweepAnew(type);
      return 'goes on';
    }
    take(objects, type, result.objects);
    cursors.set(type, result.cursor);
    if (result.isWhole) this.#dropUnseen(type, objects);
    else this.#noteSeen(type, result.objects.keys());
    return result.isWhole ? 'done' : 'goes on';
  }

  #readSweep(
    sweep: Sweep,
    response: Response,
    objects: Objects,
    cursors: Map<string, string | null>,
  ): Progress {
    const result = readSweep(sweep, this.#options.limits.maxObjectsInGet, response);
    if (result.kind === 'failed') return 'failed';
    take(objects, sweep.type, result.objects);
    if (result.isLast) {
      this.#sweeps.delete(sweep.type);
      this.#seen.set(sweep.type, result.sweep.seen);
      cursors.set(sweep.type, result.sweep.from);
    } else this.#sweeps.set(sweep.type, result.sweep);
    // Behind the last page comes a /changes, for what has changed since the first one.
    return 'goes on';
  }

  #sweepAnew(type: string): void {
    const table = this.#options.types.find(({ name }) => name === type);
    this.#sweeps.set(type, startSweep(type, table?.methods.includes('query') ?? false));
  }

  #noteSeen(type: string, ids: Iterable<string>): void {
    const seen = this.#seen.get(type);
    if (seen !== undefined) this.#seen.set(type, new Set([...seen, ...ids]));
  }

  /** A sweep is over: takes away what it has not seen, and nobody has made since. */
  #dropUnseen(type: string, objects: Objects): void {
    const seen = this.#seen.get(type);
    if (seen === undefined) return;
    this.#seen.delete(type);
    const ofType = objects.get(type) ?? new Map<string, JsonObject | null>();
    for (const { id } of this.#options.replica.baseRows(type)) {
      if (!seen.has(id) && !ofType.has(id)) ofType.set(id, null);
    }
    objects.set(type, ofType);
  }
}

function worstOf(results: readonly Progress[]): Progress {
  if (results.includes('failed')) return 'failed';
  return results.includes('goes on') ? 'goes on' : 'done';
}

function take(objects: Objects, type: string, more: ReadonlyMap<string, JsonObject | null>): void {
  const ofType = objects.get(type) ?? new Map<string, JsonObject | null>();
  for (const [id, object] of more) ofType.set(id, object);
  objects.set(type, ofType);
}
