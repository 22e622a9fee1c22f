import { countOctets } from '../call/cut.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import { nextTask } from '../query/slices.js';
import type { TypeTable } from '../schema/tables.js';
import type { AccountStore } from '../store/account-store.js';
import { lookAnew } from '../store/checks.js';
import { append, coalesce, findCancelled, replaceNames } from '../store/log.js';
import type { Change, Row } from '../store/replica.js';
import { type PendingWrite, unsend } from '../store/write.js';
import { TOO_LARGE } from '../sync/outbox.js';
import { makeRefusal, type Outcome, type Refusal } from '../sync/outcomes.js';
import { maxOctetsOf, type SyncLimits } from '../sync/sync-options.js';
import type { Peers } from './peers.js';
import type { Problems, RefusedWrite } from './problems.js';
import type { UploadQueue } from './upload-queue.js';
import { CLOSED, type Waiter, Waiters } from './waiters.js';
import {
  RECIPE_FAILED,
  refuse,
  type ShownWrite,
  showLater,
  type WriteTarget,
} from './write-forms.js';
import { ABORTED, type Recorded, recordGroup, type SharedWrite } from './write-group.js';

export interface AccountWritesOptions {
  readonly accountId: string;
  readonly store: AccountStore;
  readonly problems: Problems;
  readonly uploads: UploadQueue;
  readonly peers: Pick<Peers, 'isShared'>;
  /** Returns the server's limits, as they are now. */
  readonly limits: () => SyncLimits;
  /** Returns the types that the account has, as they are now. */
  readonly types: () => readonly TypeTable[];
  /** Returns whether the server has a type in another form than this program. */
  readonly isOutdated: (type: string) => boolean;
  /** Returns why nothing can be written at present; null where it can. */
  readonly findRefusal: () => Refusal | null;
  /** Is called when there are writes to send. */
  readonly onWrite: () => void;
}

/** The writes of an account, from the call of the program to their ends. */
export class AccountWrites implements WriteTarget {
  readonly #options: AccountWritesOptions;
  readonly #waiters = new Waiters(({ type, key }) => this.find(type, key).row);
  /** Writes that need objects which have yet to be read, and all writes behind them. */
  readonly #late: (() => void)[] = [];
  /** Ends that are told once they are durable. */
  readonly #ending = new Set<readonly Outcome[]>();
  #isDropped = false;

  constructor(options: AccountWritesOptions) {
    this.#options = options;
  }

  get refusal(): Refusal | null {
    return this.#findRefusal([]);
  }

  get isLoading(): boolean {
    return !this.#options.store.isLoaded && this.refusal === null;
  }

  get hasDeferred(): boolean {
    return this.#late.length > 0;
  }

  /** The account is gone: nothing is written of it any more. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Makes a write once all objects are here, behind those before it. */
  defer(make: (target: WriteTarget) => ShownWrite, object?: Row): ShownWrite {
    const ended = new Promise<ShownWrite>((resolve) => {
      this.#late.push(() => resolve(make(this)));
    });
    return showLater(ended, object);
  }

  /** Makes the writes that had to wait: all objects are here. */
  makeDeferred(): void {
    for (const make of this.#late.splice(0)) make();
  }

  find(type: string, id: string): ReturnType<WriteTarget['find']> {
    const { replica } = this.#options.store;
    const key = replica.keyOf(type, id);
    return { key, row: replica.row(type, key) };
  }

  take(write: PendingWrite, before?: Row, rows: readonly RowChange[] = []): ShownWrite {
    const { store, peers, uploads } = this.#options;
    const { replica } = store;
    if (this.hasDeferred)
      return this.defer(() => this.take(write, before, rows), before ?? replica.preview(write));
    const marked = uploads.mark(write);
    const all = [...replica.log, marked];
    // Other tabs may be sending what is in the log: they make one of both when they know.
    const isAlone = peers.isShared || !replica.isWritten(write);
    const log = isAlone ? all : append(replica.log, marked, replica.defaultsOf(write.type));
    const recorded = [{ write, object: before }];
    const [shown] = this.#takeAll(recorded, { log }, findCancelled(all, log), rows);
    return shown as ShownWrite;
  }

  /** Ends a write. It is a problem unless somebody reads its end at once. */
  refuse(write: PendingWrite, error: Refusal, object?: Row): ShownWrite {
    const { accountId, problems, findRefusal } = this.#options;
    const waiter = { ...refuse(error), isAsked: false };
    void nextTask().then(() => {
      if (!waiter.isAsked && findRefusal() !== CLOSED) problems.report({ accountId, write, error });
    });
    return this.#show(write, waiter, object, waiter.saved);
  }

  /** Takes all writes that a function makes, in one commit. */
  write(make: (target: WriteTarget) => void): SharedWrite {
    const { store, uploads } = this.#options;
    const { replica } = store;
    return recordGroup(this, replica, make, ({ recorded, cancelled }, log) =>
      this.#takeAll(
        recorded,
        { log: [...replica.log, ...log.map((write) => uploads.mark(write))] },
        cancelled,
      ),
    );
  }

  /** Makes a refused write once more. Returns false where nothing can be written at present. */
  repeat(write: PendingWrite, rows: readonly RowChange[]): boolean {
    const { store } = this.#options;
    // Its group would wait for what was written since, and that for the rest of the group.
    const { failures: _, sentIn: __, group: ___, isRepaired: ____, ...rest } = unsend(write);
    // The problem has told what the server has.
    const row = store.replica.row(write.type, write.key);
    // Files are named by their keys again: the server may have deleted them.
    const files = new Map(write.blobs?.map((key) => [store.replica.idOf(key), key]));
    const named = replaceNames(rest, (text) => files.get(text) ?? text);
    const again = lookAnew({ ...named, ids: [crypto.randomUUID()] }, row ?? {});
    // Of a function that could not be called there is no patch.
    if (again.kind === 'update' && Object.keys(again.patch).length === 0) return false;
    if (this.#findRefusal([{ write: again, object: undefined }]) !== null) return false;
    if (this.isLoading) void store.settle().then(() => this.repeat(write, rows));
    else this.take(again, undefined, rows);
    return true;
  }

  /** Makes the unsent writes of the log as few as they can be. */
  tidy(): void {
    const { store, peers } = this.#options;
    // While the store is lost, other tabs may be sending what is in the log.
    if (store.needsTurn ? store.turn === null : peers.isShared) return;
    const { replica } = store;
    const before = replica.log;
    const log = coalesce(before, (type) => replica.defaultsOf(type));
    if (log !== before) void this.commit({ log }, findCancelled(before, log), false);
  }

  /**
   * One commit has the ends of writes, and the problems that they are. Among tabs, ends without an
   * answer are told behind it: another one may have the turn by now, and make the writes. Until
   * then all of them are problems in the store: this tab may end before it tells.
   */
  commit(change: Change, ends: readonly Outcome[], areAnswers = true): Promise<boolean> {
    if (this.#isDropped) return Promise.resolve(false);
    const { store, problems, uploads } = this.#options;
    const { turn } = store;
    const outcomes = ends.map((outcome) => this.#explain(outcome));
    const isLate = !areAnswers && turn !== null;
    const all = this.#findRefused(outcomes);
    const refused = all.filter(this.#isUnasked);
    const untold = isLate ? problems.rowsOf(all.filter((one) => !refused.includes(one))) : [];
    const durable = store.commit(change, { rows: problems.rowsOf(refused), untold, outcomes });
    const tell = (): void => {
      this.end(outcomes, refused);
      problems.remove(untold);
      uploads.note(outcomes);
    };
    if (!isLate) tell();
    else {
      this.#ending.add(outcomes);
      void durable.then((isDurable) => {
        this.#ending.delete(outcomes);
        // The turn may have been taken behind the commit, or the store be lost.
        if (isDurable || !turn.isFenced || !store.needsTurn) tell();
      });
    }
    return durable;
  }

  /** Ends writes; `refused` are problems from now on. */
  end(outcomes: readonly Outcome[], refused: readonly RefusedWrite[] = []): void {
    const { problems } = this.#options;
    const asked = outcomes.flatMap((outcome) => this.#waiters.findAsked(outcome.write));
    this.#waiters.end(outcomes);
    problems.add(refused);
    for (const id of asked) problems.dismiss(id);
  }

  /**
   * Reads the problems of the store, and ends writes that are in the log no more: a tab may have
   * ended before it has told of them.
   */
  async endForgotten(open: OpenStore): Promise<void> {
    const { problems } = this.#options;
    const ids = this.#findForgotten();
    // That tab has left the refused ones as problems.
    await problems.read(open);
    const rest = new Set(this.#findForgotten());
    const ended = ids.filter((id) => rest.has(id));
    for (const id of ended) if (this.#waiters.endOne(id, problems.find(id))) problems.dismiss(id);
  }

  /** Takes the data of the account away, and ends its writes: the user has it no more. */
  drop(): void {
    // The user may have it again at once: from here on, another one writes its rows.
    this.#isDropped = true;
    const { store, problems } = this.#options;
    const outcomes = store.replica.log.map(
      (write) => ({ isMade: false, write, error: GONE }) as const,
    );
    const refused = this.#findRefused(outcomes).filter(this.#isUnasked);
    store.drop(problems.rowsOf(refused));
    this.end(outcomes, refused);
  }

  /** Ends all that wait for an answer. */
  close(): void {
    this.#waiters.close();
  }

  #takeAll(
    writes: readonly Recorded[],
    change: Pick<Change, 'log'>,
    ended: readonly Outcome[],
    rows: readonly RowChange[] = [],
  ): readonly ShownWrite[] {
    const { store, onWrite } = this.#options;
    const { replica } = store;
    const isFailed = writes.some(({ error }) => error?.type === RECIPE_FAILED);
    const refusal = this.#findRefusal(writes) ?? (isFailed ? ABORTED : null);
    if (refusal !== null)
      return writes.map(({ write, object, error = refusal }) =>
        this.refuse(write, error, object ?? replica.preview(write)),
      );
    const aliases = writes.flatMap(({ write }) => store.aliasRowsOf(write));
    const saved = store.commit(change, { rows: [...aliases, ...rows], isFree: true });
    const shown = writes.map(({ write, object = replica.row(write.type, write.key), error }) => {
      if (error) return this.refuse(write, error);
      const waiter = this.#waiters.add(write.ids[0] ?? '', write, object);
      return this.#show(write, waiter, object, saved);
    });
    this.end(ended);
    onWrite();
    return shown;
  }

  #findForgotten(): readonly string[] {
    const { store } = this.#options;
    // The log lacks writes whose ends were committed in vain, until it is read.
    if (store.turn?.isFenced) return [];
    const { log } = store.replica;
    const ending = [...this.#ending].flat().map(({ write }) => write);
    return this.#waiters.findForgotten(new Set([...log, ...ending].flatMap(({ ids }) => ids)));
  }

  #findRefusal(writes: readonly Recorded[]): Refusal | null {
    if (this.#isDropped) return GONE;
    const { limits, findRefusal } = this.#options;
    const most = maxOctetsOf(limits());
    const isLarge = writes.some(({ write }) => countOctets(JSON.stringify(write)) > most);
    return findRefusal() ?? (isLarge ? TOO_LARGE : null);
  }

  #show(
    { ids }: PendingWrite,
    waiter: Pick<Waiter, 'result' | 'isAsked'>,
    object: Row | undefined,
    saved: Promise<boolean>,
  ): ShownWrite {
    const { problems } = this.#options;
    return {
      object,
      saved,
      get result() {
        waiter.isAsked = true;
        problems.dismiss(ids[0] ?? '');
        return waiter.result;
      },
    };
  }

  /** A refused property of which one side knows nothing is one of another version of the type. */
  #explain(outcome: Outcome): Outcome {
    const { store, types, isOutdated } = this.#options;
    const { isMade, write } = outcome;
    if (isMade || outcome.error.type !== 'invalidProperties' || !isOutdated(write.type))
      return outcome;
    const own = types().find(({ name }) => name === write.type)?.properties ?? {};
    const rows = [...store.replica.baseRows(write.type)];
    const isForeign = (name: string): boolean =>
      !(name in own) ||
      (write.kind === 'create' && !(name in write.values)) ||
      // No object of the server's has it.
      (own[name]?.access !== 'secret' && rows.length > 0 && !rows.some((row) => name in row));
    const { properties = [] } = outcome.error;
    return (properties as string[]).some(isForeign)
      ? { ...outcome, error: { ...outcome.error, type: 'clientOutdated' } }
      : outcome;
  }

  #findRefused(outcomes: readonly Outcome[]): readonly RefusedWrite[] {
    const { accountId } = this.#options;
    return outcomes.flatMap(({ write, ...end }) =>
      end.isMade ? [] : [{ accountId, write, error: end.error }],
    );
  }

  /** Somebody has yet to ask for an end of a write, which has several where others joined it. */
  readonly #isUnasked = ({ write }: RefusedWrite): boolean =>
    this.#waiters.findAsked(write).length < write.ids.length;
}

export const GONE = makeRefusal('accountNotFound', 'The user has no such account.');
