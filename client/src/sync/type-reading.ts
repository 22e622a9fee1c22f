import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { Coverage, Replica, ServerObjects } from '../store/replica.js';
import type { Response } from '../transport/transport.js';
import type { Draft } from './draft.js';
import { type Pull, readPull, type Stale } from './pull.js';
import { readSweep, type Sweep, startSweep } from './sweep.js';
import { isRefusal, MOST_FAILURES } from './transient.js';

/** A type with more objects is not kept whole, unless the program wants it. */
const MOST_WHOLE = 10_000;

export interface TypeReadingOptions {
  readonly replica: Replica;
  readonly accountId: string;
  /** Returns how much of a type the program wants to keep; undefined: it doesn't say. */
  readonly coverageOf?: ((type: string) => Coverage | undefined) | undefined;
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

/** How far a type has been read: by its changes, or from its begin by a sweep. */
export class TypeReading {
  readonly name: string;
  /** Its changes have not been asked for since the last wish. */
  isWished = false;
  readonly #hasQuery: boolean;
  readonly #options: TypeReadingOptions;
  /** It is due no more once it has reached this state. */
  #told: string | null = null;
  #sweep: Sweep | null = null;
  #swept: Swept | null = null;
  /** Objects that have to be read before the state moves on. */
  #stale: Stale | null = null;
  /** How often the server has failed at it, one time after the other. */
  #failures = 0;
  #isRefused = false;

  constructor({ name, methods }: TypeTable, options: TypeReadingOptions) {
    this.name = name;
    this.#hasQuery = methods.includes('query');
    this.#options = options;
  }

  /** Whether its changes have to be asked for. */
  get isDue(): boolean {
    if (this.hasReached) {
      this.#told = null;
      this.isWished = false;
    }
    return this.isWished;
  }

  /** Whether it has reached the state that it was due for. */
  get hasReached(): boolean {
    return this.#told !== null && this.#told === this.#cursor;
  }

  /** The sweep that goes on with the next request. */
  get sweep(): Sweep | null {
    return this.#sweep;
  }

  /** How many objects have been read from the begin, and how many there are; null: unknown. */
  get progress(): { readonly loaded: number; readonly total: number } | null {
    const total = this.#sweep?.total ?? null;
    const seen = this.#swept?.seen ?? [];
    const loaded = seen.reduce((sum, ids) => sum + ids.length, 0);
    return total === null ? null : { total, loaded };
  }

  /** Returns whether objects are read that a sweep may not see any more. */
  get isSwept(): boolean {
    return this.#swept !== null;
  }

  /** Returns whether the server refuses the type, for as long as its session is the same. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Returns whether nothing comes unless somebody wishes for it. */
  get isFailing(): boolean {
    return this.#isRefused || this.#failures >= MOST_FAILURES;
  }

  get #cursor(): string | null {
    return this.#options.replica.cursor(this.name);
  }

  /** The state that the objects have reached; null where it is unknown. */
  get #state(): string | null {
    return this.#swept?.since ?? this.#cursor;
  }

  /** Whether only a part of the type is kept: the program's wish goes first. */
  get #isPartial(): boolean {
    const { replica, coverageOf } = this.#options;
    return (coverageOf?.(this.name) ?? replica.coverage(this.name)) === 'known';
  }

  want(): void {
    this.isWished = true;
    this.#told = null;
  }

  /** The server has a state. Returns whether it is another one than that of the copy. */
  wantState(state: string | undefined): boolean {
    if (state === undefined || state === this.#cursor) return false;
    const isFree = !this.isWished || this.#told !== null;
    this.want();
    if (isFree) this.#told = state;
    return true;
  }

  /** Somebody else has read it, or the server has another history. */
  forget(): void {
    this.#sweep = null;
    this.#swept = null;
    this.#stale = null;
  }

  /** Gives up, until the next wish. */
  stop(): void {
    this.forget();
    this.isWished = false;
  }

  /** Has a new session. */
  readmit(): void {
    this.#isRefused = false;
  }

  /** Begins a sweep where there is nothing to begin with. */
  begin(): void {
    const { replica } = this.#options;
    const isMissing = replica.coverage(this.name) === 'known' && !this.#isPartial;
    const isUnread = this.#state === null || (isMissing && this.#swept === null);
    if (isUnread && this.#sweep === null) this.#sweepAnew();
  }

  /** Returns what asks for the changes of the type; null where all is read from the begin. */
  plan(maxChanges: number, isBrief: boolean): Pull | null {
    const { accountId, replica } = this.#options;
    const since = this.#state;
    if (since === null) return null;
    const isKnown = this.#isPartial ? (id: string) => replica.has(this.name, id) : null;
    return {
      ...{ type: this.name, since, accountId, maxChanges },
      ...{ isKnown, isBrief, stale: this.#stale },
    };
  }

  /** Returns whether a pull has brought the type further, or to its end. */
  isAhead({ since, stale }: Pull, { coverage }: Draft): boolean {
    const state = this.#state;
    return coverage.has(this.name) || (state !== null && state !== since) || this.#stale !== stale;
  }

  /** Returns whether a page has brought a sweep further, or to its end. */
  hasPaged({ anchor }: Sweep): boolean {
    if (this.#sweep === null) return true;
    return this.#sweep.anchor !== null && this.#sweep.anchor !== anchor;
  }

  /** Reads the answers of a pull. Returns the type of an error that holds up all types. */
  readPull(pull: Pull, response: Response, draft: Draft): string | null {
    return this.#judge(this.#takePull(pull, response, draft));
  }

  /** Reads a page of a sweep. Returns the type of an error that holds up all types. */
  readSweep(sweep: Sweep, limit: number, response: Response, draft: Draft): string | null {
    return this.#judge(this.#takeSweep(sweep, limit, response, draft));
  }

  /**
   * Returns an error that may pass. A type that fails again and again is asked for when somebody
   * wishes for it, and not before: it doesn't stop the others.
   */
  #judge(failure: string | null): string | null {
    const isFailure = failure === 'serverFail' || failure === 'accountNotFound';
    this.#failures = isFailure ? this.#failures + 1 : 0;
    if (failure === null) return null;
    this.#isRefused = isRefusal(failure);
    if (!this.isFailing) return failure;
    this.stop();
    return null;
  }

  #takePull(pull: Pull, response: Response, draft: Draft): string | null {
    const { name } = this;
    // The type is read anew: its state has been forgotten since the request.
    if (this.#state !== pull.since || this.#stale !== pull.stale) {
      this.isWished = true;
      return null;
    }
    const result = readPull(pull, draft.early(name), response);
    if (result.kind === 'failed') return result.error;
    if (result.kind === 'lost') {
      // A server that tells no changes at all is read anew each time.
      if (this.#swept === null) {
        draft.cursors.set(name, null);
        this.#sweepAnew();
      } else if (this.#sweep === null) this.#endUntold(this.#swept, draft);
      return null;
    }
    draft.take(name, result.objects);
    draft.setEarly(name, result.early);
    // The state hasn't moved yet: a client that begins there once more is told nothing of them.
    if (result.stale !== null) draft.noteEarly(name, findThere(result.objects));
    this.#stale = result.stale;
    if (!result.isWhole) this.isWished = true;
    else if (this.#sweep === null) {
      this.#end(result.cursor, draft);
      return null;
    }
    draft.pulled.set(name, false);
    if (this.#swept === null) draft.cursors.set(name, result.cursor);
    else {
      const seen = [...this.#swept.seen, [...result.objects.keys()]];
      this.#swept = { since: result.cursor, seen };
    }
    return null;
  }

  /** Ends a sweep behind which the server tells no changes: it is asked for what may have gone. */
  #endUntold({ since, seen }: Swept, draft: Draft): void {
    const known = new Set(seen.flat());
    const ids = [...draft.early(this.name)].filter((id) => !known.has(id));
    if (ids.length === 0) {
      this.#end(since, draft);
      return;
    }
    this.#stale = { ids, cursor: since, isWhole: true, told: null };
    this.isWished = true;
  }

  /** Has all objects of the type, as of a state. */
  #end(state: string, draft: Draft): void {
    const { name } = this;
    this.#dropUnseen(draft);
    draft.cursors.set(name, state);
    draft.pulled.set(name, true);
    const reached = this.#isPartial ? 'known' : 'all';
    if (this.#options.replica.coverage(name) !== reached) draft.coverage.set(name, reached);
  }

  #takeSweep(sweep: Sweep, limit: number, response: Response, draft: Draft): string | null {
    const { name } = this;
    if (this.#sweep !== sweep) return null;
    const result = readSweep(sweep, limit, response);
    if (result.kind === 'failed') return result.error;
    if (result.kind === 'lost') {
      this.#sweepAnew();
      return null;
    }
    if (result.kind === 'moved') {
      this.#sweep = result.sweep;
      return null;
    }
    let { sweep: next, isLast } = result;
    if (this.#isLarge(sweep, next.total)) {
      const rest = this.#knownIds();
      next = { ...next, source: rest };
      isLast = rest.length === 0;
    } else draft.take(name, result.objects);
    if (Array.isArray(next.source)) draft.coverage.set(name, 'known');
    const { since, seen } = this.#swept ?? { since: next.from ?? '', seen: [] };
    const ids = [...result.objects.keys()];
    this.#swept = { since, seen: [...seen, ids] };
    this.#sweep = isLast ? null : next;
    // Objects of a newer state may go without a word, unless their changes are read soon.
    if (result.state !== since) draft.noteEarly(name, ids);
    if (isLast || result.state !== since) this.isWished = true;
    return null;
  }

  #sweepAnew(): void {
    this.forget();
    const whole = this.#hasQuery ? 'query' : null;
    this.#sweep = startSweep(this.name, this.#isPartial ? this.#knownIds() : whole);
  }

  #knownIds(): readonly string[] {
    return Array.from(this.#options.replica.baseRows(this.name), ({ id }) => id);
  }

  /** Returns whether a type whose first page has come has too many objects to keep all of them. */
  #isLarge({ source, anchor }: Sweep, total: number | null): boolean {
    const { replica, coverageOf } = this.#options;
    if (source !== 'query' || anchor !== null || replica.coverage(this.name) !== null) return false;
    return coverageOf?.(this.name) === undefined && (total ?? 0) > MOST_WHOLE;
  }

  /** A sweep is over: takes away what it has not seen, and nobody has made since. */
  #dropUnseen(draft: Draft): void {
    if (this.#swept === null) return;
    const seen = new Set(this.#swept.seen.flat());
    this.#swept = null;
    // Of a part, each object was asked for by its id.
    if (this.#isPartial) return;
    const [early, come] = [draft.early(this.name), draft.objects(this.name)];
    const gone = new Map<string, JsonObject | null>();
    for (const id of this.#knownIds())
      if (!seen.has(id) && !early.has(id) && !come.has(id)) gone.set(id, null);
    draft.take(this.name, gone);
  }
}

/** Returns the ids of objects that are not gone. */
function findThere(objects: ServerObjects): readonly string[] {
  return [...objects].flatMap(([id, object]) => (object === null ? [] : [id]));
}
