import { countOctets } from '../call/cut.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { AccountStore } from '../store/account-store.js';
import { lookAnew } from '../store/checks.js';
import { append, coalesce, findCancelled } from '../store/log.js';
import type { Change, Row } from '../store/replica.js';
import type { StoreWriter } from '../store/store-writer.js';
import type { PendingWrite } from '../store/write.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import { maxOctetsOf, type SyncLimits } from '../sync/sync-options.js';
import { LateWrites } from './late-writes.js';
import type { Peers } from './peers.js';
import type { Problems } from './problems.js';
import type { UploadQueue } from './upload-queue.js';
import { Waiters } from './waiters.js';
import { refuse, type ShownWrite, type WriteTarget } from './write-forms.js';
import { type Recorded, recordGroup, type SharedWrite } from './write-group.js';

export interface AccountWritesOptions {
  readonly accountId: string;
  readonly store: AccountStore;
  readonly writer: StoreWriter;
  readonly problems: Problems;
  readonly uploads: UploadQueue;
  readonly peers: Pick<Peers, 'isShared'>;
  /** Returns the server's limits, as they are now. */
  readonly limits: () => SyncLimits;
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
  readonly #late = new LateWrites();
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
    return !this.#late.isEmpty;
  }

  /** The account is gone: nothing is written of it any more. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Makes a write once all objects are here, behind those before it. */
  defer(make: (target: WriteTarget) => ShownWrite, object?: Row): ShownWrite {
    return this.#late.add(() => make(this), object);
  }

  /** Makes the writes that had to wait: all objects are here. */
  makeDeferred(): void {
    this.#late.make();
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
    const log = peers.isShared ? all : append(replica.log, marked, replica.defaultsOf(write.type));
    const ended = write.kind === 'destroy' ? findCancelled(all, log) : [];
    const [shown] = this.#takeAll([{ write, object: before }], { log }, ended, rows);
    return shown as ShownWrite;
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
    if (this.isLoading) {
      void store.settle().then(() => this.repeat(write, rows));
      return true;
    }
    const { failures: _, sentIn: __, ...rest } = write;
    // The problem has told what the server has.
    const row = store.replica.row(write.type, write.key);
    const again = lookAnew({ ...rest, ids: [crypto.randomUUID()], sentAs: null }, row ?? {});
    if (this.#findRefusal([{ write: again, object: undefined }]) !== null) return false;
    this.take(again, undefined, rows);
    return true;
  }

  /** Makes the unsent writes of the log as few as they can be. */
  tidy(): void {
    const { store, peers } = this.#options;
    // While the store is lost, other tabs may be sending what is in the log.
    if (peers.isShared && store.turn === null) return;
    const { replica } = store;
    const before = replica.log;
    const log = coalesce(before, (type) => replica.defaultsOf(type));
    if (log !== before) void this.commit({ log }, findCancelled(before, log));
  }

  /** One commit has the answers, and the problems that they are. */
  commit(change: Change, answers: readonly Outcome[]): Promise<boolean> {
    if (this.#isDropped) return Promise.resolve(false);
    const { store, problems, uploads } = this.#options;
    const outcomes = answers.map((outcome) => this.#explain(outcome));
    const refused = this.#findUnasked(outcomes);
    const rows = problems.rowsOf(refused);
    const durable = store.commit(change, { rows, outcomes });
    this.end(outcomes, refused);
    uploads.note(outcomes);
    return durable;
  }

  /** Ends writes; `refused` are problems from now on. */
  end(outcomes: readonly Outcome[], refused: Parameters<Problems['add']>[0] = []): void {
    const { problems } = this.#options;
    const asked = outcomes.flatMap((outcome) => this.#waiters.findAsked(outcome));
    this.#waiters.end(outcomes);
    problems.add(refused);
    for (const id of asked) problems.dismiss(id);
  }

  /** Ends writes that are in the log no more: the tab that has their answers ended too soon. */
  async endForgotten(open: OpenStore): Promise<void> {
    const { problems, writer } = this.#options;
    const ids = this.#findForgotten();
    if (ids.length === 0) return;
    // That tab has left the refused ones as problems.
    await writer.settle();
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
    const refused = this.#findUnasked(outcomes);
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
    const refusal = this.#findRefusal(writes);
    if (refusal !== null)
      return writes.map(({ write, object }) => refuse(object ?? replica.preview(write), refusal));
    const aliases = writes.flatMap(({ write }) => store.aliasRowsOf(write));
    const saved = store.commit(change, { rows: [...aliases, ...rows], isFree: true });
    const shown = writes.map(({ write, object }) =>
      this.#show(write, object ?? replica.row(write.type, write.key), saved),
    );
    this.end(ended);
    onWrite();
    return shown;
  }

  #findForgotten(): readonly string[] {
    const { log } = this.#options.store.replica;
    return this.#waiters.findForgotten(new Set(log.flatMap(({ ids }) => ids)));
  }

  #findRefusal(writes: readonly Recorded[]): Refusal | null {
    if (this.#isDropped) return GONE;
    const { limits, findRefusal } = this.#options;
    const most = maxOctetsOf(limits());
    const isLarge = writes.some(({ write }) => countOctets(JSON.stringify(write)) > most);
    return findRefusal() ?? (isLarge ? TOO_LARGE : null);
  }

  #show(write: PendingWrite, object: Row | undefined, saved: Promise<boolean>): ShownWrite {
    const { problems } = this.#options;
    const [id = ''] = write.ids;
    const waiter = this.#waiters.add(id, write, object);
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

  /** A property that the server doesn't take may be one of another version of the type. */
  #explain(outcome: Outcome): Outcome {
    if (outcome.isMade || outcome.error.type !== 'invalidProperties') return outcome;
    if (!this.#options.isOutdated(outcome.write.type)) return outcome;
    return { ...outcome, error: { ...outcome.error, type: 'clientOutdated' } };
  }

  #findUnasked(outcomes: readonly Outcome[]) {
    const { accountId } = this.#options;
    return outcomes.flatMap((outcome) => {
      const { ids } = outcome.write;
      if (outcome.isMade || this.#waiters.findAsked(outcome).length === ids.length) return [];
      return [{ accountId, write: outcome.write, error: outcome.error }];
    });
  }
}

export const GONE: Refusal = Object.freeze({
  type: 'accountNotFound',
  description: 'It is gone.',
});

const TOO_LARGE: Refusal = Object.freeze({
  type: 'tooLarge',
  description: 'No request can be so large.',
});
