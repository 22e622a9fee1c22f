import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { countOctets } from '../call/cut.js';
import { writeSort } from '../call/pack.js';
import type { Change as RowChange } from '../persist/port.js';
import type { RulesLoader } from '../query/rules-loader.js';
import type { TypeTable } from '../schema/tables.js';
import type { AccountStore } from '../store/account-store.js';
import { append } from '../store/log.js';
import { findPatch, type PatchObject } from '../store/patches.js';
import type { Change, Row, Touched } from '../store/replica.js';
import { makeKey, type PendingWrite } from '../store/write.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import { maxOctetsOf, Sync, type SyncLimits } from '../sync/sync.js';
import type { Wire } from '../sync/wire.js';
import type { LiveStatus, SyncSnapshot } from './cached-types.js';
import { LiveRows, type LiveSource } from './live-query.js';
import type { Problems } from './problems.js';
import { type EndOfWrite, Waiters } from './waiters.js';

export interface AccountCacheOptions {
  readonly accountId: string;
  readonly store: AccountStore;
  readonly wire: Wire;
  readonly rules: RulesLoader;
  readonly problems: Problems;
  /** Returns the types that the account has, and the server's limits, as they are now. */
  readonly types: () => readonly TypeTable[];
  readonly limits: () => SyncLimits;
  readonly hasOnceKeys: () => boolean;
  /** Returns why nothing can be written at present; null where it can. */
  readonly findRefusal: () => Refusal | null;
  /** Is called where the account is in another state than before. */
  readonly onChange: () => void;
}

/** Changes a copy of an object. */
export type Recipe = (draft: object) => void;

/** A write as its program sees it. */
export interface ShownWrite {
  readonly object: Row | undefined;
  readonly saved: Promise<boolean>;
  readonly result: Promise<EndOfWrite>;
}

export interface LiveArguments {
  readonly filter?: JsonValue;
  readonly sort?: readonly (string | JsonObject)[] | null;
  readonly limit?: number | null;
}

/** The states that errors of a cycle mean; others are faults. */
const STATUS_OF: Readonly<Record<string, SyncSnapshot['status']>> = {
  transport: 'offline',
  needsAuth: 'needsAuth',
};

/** How long a hint of the server's waits for others, in milliseconds. */
const GATHERING = 20;

/** An account in use: its copy, its cycles, its writes and its lists. */
export class AccountCache {
  readonly id: string;
  readonly #options: AccountCacheOptions;
  readonly #sync: Sync;
  readonly #waiters = new Waiters();
  readonly #followers = new Set<LiveRows>();
  readonly #lists = new Map<string, WeakRef<LiveRows>>();
  #status: SyncSnapshot['status'] = 'loading';
  #lastSynced: number | null = null;
  #isWanted = false;
  #isDropped = false;
  #hint: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AccountCacheOptions) {
    const { accountId, store, wire, types, limits, hasOnceKeys } = options;
    this.id = accountId;
    this.#options = options;
    store.listen((touched) => this.#tell(touched));
    this.#sync = new Sync({
      ...{ accountId, replica: store.replica, wire, types, limits, hasOnceKeys },
      commit: (change, outcomes) => this.#commit(change, outcomes),
      isHeld: (write) => store.isHeld(write),
      report: (failure, isDone) => this.#report(failure, isDone),
    });
  }

  /** The part that the account has in the state of the client. */
  get state(): Omit<SyncSnapshot, 'storage'> {
    const pending = this.#options.store.replica.log.length;
    return { status: this.#status, pending, lastSynced: this.#lastSynced };
  }

  /** Returns the state that the copy of a type has; undefined where there is no copy. */
  cursor(type: string): string | null | undefined {
    const { store, types } = this.#options;
    const isKept = types().some(({ name }) => name === type);
    return isKept ? store.replica.cursor(type) : undefined;
  }

  create(table: TypeTable, values: object): ShownWrite {
    const provisional = guessTimes(table);
    const common = { ...startWrite(table.name, makeKey()), provisional };
    return this.#write({ ...common, kind: 'create', values: copyJson(values) });
  }

  update(type: string, id: string, edit: PatchObject | Recipe): ShownWrite {
    const { replica } = this.#options.store;
    const key = replica.keyOf(id);
    const row = replica.row(type, key);
    if (typeof edit === 'function' && row === undefined) return refuse(undefined, NOT_FOUND);
    const patch = typeof edit === 'function' ? findEdit(row as Row, edit) : copyJson(edit);
    if (Object.keys(patch).length === 0) return keep(row);
    return this.#write({ ...startWrite(type, key), kind: 'update', patch, unchanged: null });
  }

  destroy(type: string, id: string): ShownWrite {
    const { replica } = this.#options.store;
    const key = replica.keyOf(id);
    return this.#write({ ...startWrite(type, key), kind: 'destroy' }, replica.row(type, key));
  }

  /** Makes a refused write once more. Returns false where nothing can be written at present. */
  repeat(write: PendingWrite, rows: readonly RowChange[]): boolean {
    if (this.#options.findRefusal() !== null) return false;
    const { failures: _, ...rest } = write;
    this.#write({ ...rest, ids: [crypto.randomUUID()], sentAs: null }, undefined, rows);
    return true;
  }

  /** Returns the list of these arguments: one and the same for all who look at it. */
  live(table: TypeTable, { filter = null, sort, limit = null }: LiveArguments): LiveRows {
    const args = { filter, sort: writeSort(sort ?? []) as readonly JsonObject[], limit };
    const name = JSON.stringify([table.name, args]);
    const known = this.#lists.get(name)?.deref();
    if (known !== undefined) return known;
    for (const [other, list] of this.#lists)
      if (list.deref() === undefined) this.#lists.delete(other);
    const made = new LiveRows(table, copyJson(args), this.#makeSource());
    this.#lists.set(name, new WeakRef(made));
    return made;
  }

  /** Starts a cycle behind what the program does now: its writes go together. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    queueMicrotask(() => {
      this.#isWanted = false;
      this.#sync.want();
    });
  }

  wake(): void {
    this.#sync.wake();
  }

  /** Starts a cycle in a moment, unless one that runs asks for all by then. */
  hint(): void {
    this.#sync.note();
    this.#hint ??= setTimeout(() => {
      this.#hint = undefined;
      if (this.#sync.isDue) this.#sync.wake();
    }, GATHERING);
  }

  settle(): Promise<void> {
    return this.#sync.settle();
  }

  /** Has types read anew of which the server, or the program, says that they are others now. */
  renew(): void {
    this.#sync.forget(this.#options.store.renew());
    this.want();
  }

  /** The user has the account no more: takes its data away, and ends its writes. */
  async drop(): Promise<void> {
    const { store } = this.#options;
    // The user may have it again at once: from here on, another one writes its rows.
    this.#isDropped = true;
    const closed = this.close();
    const { log } = store.replica;
    const outcomes = log.map((write) => ({ isMade: false, write, error: GONE }) as const);
    const refused = this.#findUnasked(outcomes);
    store.drop(this.#options.problems.rowsOf(refused));
    this.#end(outcomes, refused);
    await closed;
  }

  async close(): Promise<void> {
    clearTimeout(this.#hint);
    await this.#sync.close();
    this.#waiters.close();
  }

  /** Tells lists that the state of the client is another one. */
  showStatus(): void {
    this.#tell(new Map());
  }

  #write(
    write: PendingWrite,
    before: Row | undefined = undefined,
    rows: readonly RowChange[] = [],
  ): ShownWrite {
    const { store, findRefusal, problems } = this.#options;
    const { replica } = store;
    const isLarge = countOctets(JSON.stringify(write)) > maxOctetsOf(this.#options.limits());
    const refusal = this.#isDropped ? GONE : (findRefusal() ?? (isLarge ? TOO_LARGE : null));
    if (refusal !== null) return refuse(before ?? replica.preview(write), refusal);
    const log = append(replica.log, write, replica.defaultsOf(write.type));
    const ended = write.kind === 'destroy' ? findCancelled([...replica.log, write], log) : [];
    const saved = store.commit({ log }, rows);
    const object = before ?? replica.row(write.type, write.key);
    const [id = ''] = write.ids;
    const waiter = this.#waiters.add(id, object);
    this.#end(ended, []);
    this.want();
    return {
      object,
      saved,
      get result() {
        waiter.isAsked = true;
        problems.dismiss(id);
        return waiter.result;
      },
    };
  }

  /** One commit has the answers, and the problems that they are. */
  #commit(change: Change, outcomes: readonly Outcome[]): Promise<boolean> {
    if (this.#isDropped) return Promise.resolve(false);
    const refused = this.#findUnasked(outcomes);
    const durable = this.#options.store.commit(change, this.#options.problems.rowsOf(refused));
    this.#end(outcomes, refused);
    return durable;
  }

  #findUnasked(outcomes: readonly Outcome[]) {
    return outcomes.flatMap((outcome) => {
      const { ids } = outcome.write;
      if (outcome.isMade || this.#waiters.findAsked(outcome).length === ids.length) return [];
      return [{ accountId: this.id, write: outcome.write, error: outcome.error }];
    });
  }

  #end(outcomes: readonly Outcome[], refused: Parameters<Problems['add']>[0]): void {
    const { store, problems } = this.#options;
    const asked = outcomes.flatMap((outcome) => this.#waiters.findAsked(outcome));
    this.#waiters.end(outcomes, ({ write }) => store.replica.row(write.type, write.key));
    problems.add(refused);
    for (const id of asked) problems.dismiss(id);
  }

  #report(failure: string | null, isDone: boolean): void {
    if (isDone) this.#lastSynced = Date.now();
    if (failure !== null) this.#status = STATUS_OF[failure] ?? 'error';
    else if (isDone || this.#status !== 'loading') this.#status = 'live';
    this.showStatus();
  }

  #makeSource(): LiveSource {
    const { store, rules } = this.#options;
    return {
      ...{ replica: store.replica, rules },
      seq: () => store.seq,
      status: () => LIVE_STATUS[this.#status],
      follow: (query) => {
        this.#followers.add(query);
        return () => this.#followers.delete(query);
      },
    };
  }

  /** All lists are right before the first listener hears of one. */
  #tell(touched: Touched): void {
    const changed = [...this.#followers].filter((query) =>
      query.update(touched.get(query.table.name)),
    );
    for (const query of changed) query.tell();
    this.#options.onChange();
  }
}

const LIVE_STATUS: Readonly<Record<SyncSnapshot['status'], LiveStatus>> = {
  loading: 'loading',
  live: 'live',
  offline: 'offline',
  needsAuth: 'error',
  replaced: 'error',
  error: 'error',
};

const GONE: Refusal = Object.freeze({ type: 'accountNotFound', description: 'It is gone.' });
const TOO_LARGE: Refusal = Object.freeze({
  type: 'tooLarge',
  description: 'No request can be so large.',
});
const NOT_FOUND: Refusal = Object.freeze({ type: 'notFound', description: 'It is not there.' });

function startWrite(type: string, key: string) {
  return { ids: [crypto.randomUUID()], type, key, sentAs: null };
}

/** Returns the times that the server sets on a create, about as it will. */
function guessTimes({ properties }: TypeTable): JsonObject {
  const now = new Date().toISOString();
  const times = Object.entries(properties).filter(
    ([, { kind, access, isNullable, default: value }]) =>
      kind === 'date' && access === 'serverSet' && !isNullable && value === undefined,
  );
  return Object.fromEntries(times.map(([name]) => [name, now]));
}

/** Returns the patch that a recipe makes. */
function findEdit(row: Row, edit: Recipe): PatchObject {
  const { $key, $pending, ...object } = row;
  const draft: JsonObject = { ...copyJson(object), $key, $pending };
  edit(draft);
  const { $key: _key, $pending: _pending, ...after } = copyJson(draft);
  return findPatch(object, after);
}

/** Returns a copy as JSON has it: nothing of it is shared, and members without a value are gone. */
function copyJson<Value extends object>(value: Value): Value & JsonObject {
  return JSON.parse(JSON.stringify(value)) as Value & JsonObject;
}

/** Returns the ends of writes that are in no log: others have made up for them. */
function findCancelled(
  before: readonly PendingWrite[],
  after: readonly PendingWrite[],
): readonly Outcome[] {
  const kept = new Set(after.flatMap(({ ids }) => ids));
  return before.flatMap((write) => {
    const ids = write.ids.filter((id) => !kept.has(id));
    return ids.length === 0
      ? []
      : [{ isMade: true, write: { ...write, ids }, id: write.key } as const];
  });
}

/** Returns a write that is refused without the server. */
function refuse(object: Row | undefined, error: Refusal): ShownWrite {
  const saved = Promise.resolve(false);
  return { object, saved, result: Promise.resolve({ ok: false, error }) };
}

/** Returns a write that changes nothing. */
function keep(object: Row | undefined): ShownWrite {
  const saved = Promise.resolve(true);
  return { object, saved, result: Promise.resolve({ ok: true, object }) };
}
