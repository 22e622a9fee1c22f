import { performance } from 'node:perf_hooks';
import type { Principal } from '../../accounts/principal.js';
import { principalAccountId } from '../../capability/principal-names.js';
import { jsonEqual } from '../../protocol/equal.js';
import type { JsonObject } from '../../protocol/json.js';
import { setNewest } from '../../runtime/forget-oldest.js';
import type { Conductor } from '../../runtime/slices.js';
import type { CallOptions, Snapshot, Store, StoredObject, Transaction } from '../../store/port.js';
import { UnitOfWork } from '../work/unit.js';
import { takeNotices } from './notifications.js';
import type { PrincipalTypes } from './principal-index.js';
import { principalObjects } from './principal-objects.js';
import type { PrincipalMode, PrincipalServices } from './principal-services.js';

export interface PrincipalOptions {
  readonly store: Pick<Store, 'read' | 'write' | 'onCommit'>;
  readonly types: PrincipalTypes;
  readonly mode: PrincipalMode;
  readonly conductor: Pick<Conductor, 'startSlices'>;
  /** Makes the row of the account in which a user finds principals, if there is none. */
  readonly prepare: (userId: string) => Promise<void>;
  /** Returns an account as the session of a user shows it; null where it is out of reach. */
  readonly describe: (principal: Principal, accountId: string) => JsonObject | null;
  /** How long a look at an account may take that nobody waits for, ms. */
  readonly patience: number;
  readonly onError: (error: unknown) => void;
}

/** Users whose accounts are known to be up to date. */
const MAX_KNOWN = 10_000;

/** So long lie between two looks at the accounts of all users who listen, ms. */
const LOOK_PAUSE = 5000;

/**
 * The accounts in which users find principals and notes of shares (RFC 9670). The objects of such
 * an account are what its user saw at the last look. Each call of their methods begins with a look:
 * it writes what has changed, with change records. So every state that a client gets is one that
 * the user has seen, and no record names what the user has not seen.
 */
export class PrincipalViews implements PrincipalServices {
  readonly types: PrincipalTypes;
  readonly mode: PrincipalMode;
  readonly #options: PrincipalOptions;
  /** By user: the version at the last look. */
  readonly #looked = new Map<string, string>();
  readonly #prepared = new Set<string>();
  /** Users with new notes: they come first. */
  readonly #noticed = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #unsubscribe: () => void;
  #running: Promise<void> | null = null;
  #lastLook = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PrincipalOptions) {
    this.#options = options;
    this.types = options.types;
    this.mode = options.mode;
    this.#unsubscribe = options.store.onCommit(({ noticed }) => {
      if (noticed !== undefined) this.#lookAt(noticed, this.#noticed);
    });
  }

  async open(userId: string, options: CallOptions, areNotesAlone = false): Promise<void> {
    if (!this.#prepared.has(userId)) {
      await this.#options.prepare(userId);
      if (this.#prepared.size >= MAX_KNOWN) this.#prepared.clear();
      this.#prepared.add(userId);
    }
    const accountId = principalAccountId(userId);
    const { store } = this.#options;
    const isOpen = (snapshot: Snapshot) => this.#isUpToDate(userId, snapshot, areNotesAlone);
    let version = await store.read(accountId, options, isOpen);
    while (version === null) {
      const work = (transaction: Transaction) => this.#write(userId, transaction, areNotesAlone);
      version = await store.write(accountId, { ...options, isLong: true }, work);
    }
    if (!areNotesAlone) setNewest(this.#looked, userId, version, MAX_KNOWN);
  }

  /** Has the accounts of users looked at soon, so that push tells what has changed. */
  lookAt(userIds: Iterable<string>): void {
    this.#lookAt(userIds, this.#waiting);
  }

  #lookAt(userIds: Iterable<string>, queue: Set<string>): void {
    if (this.#isClosed) return;
    for (const userId of userIds) queue.add(userId);
    // It ends at once where nobody waits, before its promise is kept here.
    if (queue.size > 0) this.#running ??= this.#lookAtWaiting();
  }

  /** Does the same for users who listen, at most once in some seconds. */
  lookAtListening(userIds: () => Iterable<string>): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const pause = Math.max(0, this.#lastLook + LOOK_PAUSE - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lastLook = performance.now();
      this.lookAt(userIds());
    }, pause);
    this.#timer.unref();
  }

  /** Resolves once nothing is being looked at. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#noticed.clear();
    this.#waiting.clear();
    await this.#running;
  }

  /** Returns principals as a user reads them: with accounts as the session shows them. */
  show(objects: readonly StoredObject[], principal: Principal): readonly StoredObject[] {
    return objects.map((object) => {
      const { accounts } = object;
      if (typeof accounts !== 'object' || accounts === null) return object;
      const shown = Object.keys(accounts).flatMap((id) => {
        const account = this.#options.describe(principal, id);
        return account === null ? [] : [[id, account] as const];
      });
      return { ...object, accounts: shown.length === 0 ? null : Object.fromEntries(shown) };
    });
  }

  async #lookAtWaiting(): Promise<void> {
    for (;;) {
      const areNotesAlone = this.#noticed.size > 0;
      const queue = areNotesAlone ? this.#noticed : this.#waiting;
      const [userId] = queue;
      if (userId === undefined) break;
      queue.delete(userId);
      const deadline = performance.now() + this.#options.patience;
      // The next call of the user looks again.
      await this.open(userId, { deadline }, areNotesAlone).catch(this.#options.onError);
    }
    this.#running = null;
  }

  /** Resolves to the version where the account is up to date; null where it is not. */
  async #isUpToDate(
    userId: string,
    snapshot: Snapshot,
    areNotesAlone: boolean,
  ): Promise<string | null> {
    const { version, hasNotices } = await snapshot.principals.mark();
    if (hasNotices) return null;
    if (areNotesAlone || this.#looked.get(userId) === version) return version;
    const { before, after } = await this.#compare(userId, snapshot);
    const isSame =
      before.length === after.size && before.every((one) => isEqual(one, after.get(one.id)));
    return isSame ? version : null;
  }

  /** Writes what has changed. Resolves to the version; null where there is more to write. */
  async #write(
    userId: string,
    transaction: Transaction,
    areNotesAlone: boolean,
  ): Promise<string | null> {
    const { notification } = this.types;
    // Ahead of the facts: what is read later may be newer, and never older.
    const { version } = await transaction.principals.mark();
    await transaction.stateNumber(notification);
    const slices = this.#options.conductor.startSlices(undefined, true);
    const unit = new UnitOfWork(transaction, null, slices);
    if (!areNotesAlone) await this.#renew(userId, unit);
    const findVisible = async (ids: readonly string[]) =>
      this.mode === 'all' ? ids : transaction.principals.knownAmong(userId, ids);
    const hasMore = await takeNotices(notification, unit, findVisible);
    await unit.flush();
    await unit.record();
    return hasMore ? null : version;
  }

  /** Has a user see the principals that it sees now. */
  async #renew(userId: string, unit: UnitOfWork): Promise<void> {
    const { principal: type } = this.types;
    const { before, after } = await this.#compare(userId, unit.transaction);
    const known = new Map(before.map((one) => [one.id, one]));
    for (const one of before) if (!after.has(one.id)) unit.destroy(type, one);
    for (const [id, one] of after) {
      const stored = known.get(id);
      if (stored === undefined) unit.create(type, one);
      else if (!isEqual(stored, one)) unit.update(type, stored, one);
    }
  }

  /** Returns the principals that a user saw at the last look, and those that it sees now. */
  async #compare(
    userId: string,
    snapshot: Snapshot,
  ): Promise<{
    readonly before: readonly StoredObject[];
    readonly after: ReadonlyMap<string, StoredObject>;
  }> {
    const { principal: type } = this.types;
    const all = { first: Number.MAX_SAFE_INTEGER };
    const before = await snapshot.get(type, all, type.properties);
    const facts = await snapshot.principals.facts(userId, this.mode === 'all');
    return { before, after: principalObjects(type, userId, facts) };
  }
}

function isEqual(one: StoredObject, other: StoredObject | undefined): boolean {
  return other !== undefined && jsonEqual(one, other);
}
