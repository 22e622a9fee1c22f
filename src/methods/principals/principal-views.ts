import { performance } from 'node:perf_hooks';
import type { Principal } from '../../accounts/principal.js';
import { principalAccountId } from '../../capability/principal-names.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { setNewest } from '../../runtime/forget-oldest.js';
import type { Conductor } from '../../runtime/slices.js';
import type { CallOptions, Snapshot, Store, StoredObject, Transaction } from '../../store/port.js';
import { UnitOfWork } from '../work/unit.js';
import { takeNotices } from './notifications.js';
import type { PrincipalTypes } from './principal-index.js';
import { comparePrincipals, type PrincipalPage, writePrincipals } from './principal-pages.js';
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
  /** Resolves to what a principal reaches now, read anew; null where it may do nothing any more. */
  readonly refresh: (principal: Principal) => Promise<Principal | null>;
  /** Resolves to users for whom there are notices. */
  readonly findNoticed: (limit: number) => Promise<readonly string[]>;
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
  #finding: Promise<void> | null = null;
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
    const look = (snapshot: Snapshot) => this.#compare(userId, snapshot, areNotesAlone);
    let { version, ...left } = await store.read(accountId, options, look);
    while (left.after !== null || left.hasNotices) {
      const { after } = left;
      const work = (transaction: Transaction) => this.#write(userId, transaction, after);
      left = await store.write(accountId, { ...options, isLong: true }, work);
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

  /**
   * Has all looked at for whom there are notices: a server has ended before its look at them, or
   * the database was away.
   */
  lookAtNoticed(): void {
    if (this.#isClosed) return;
    this.#finding ??= this.#findNoticed().finally(() => {
      this.#finding = null;
    });
  }

  async #findNoticed(): Promise<void> {
    try {
      this.#lookAt(await this.#options.findNoticed(MAX_KNOWN), this.#noticed);
    } catch (error) {
      // The next doubt finds them.
      this.#options.onError(error);
    }
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
    await this.#finding;
    await this.#running;
  }

  async show(
    objects: readonly StoredObject[],
    principal: Principal,
  ): Promise<readonly StoredObject[]> {
    if (!objects.some(hasAccounts)) return objects;
    // The request may have begun with less than a look of now, or of another server, has found.
    const current = await this.#options.refresh(principal);
    return objects.map((object) => {
      if (!hasAccounts(object)) return object;
      const shown = Object.keys(object.accounts).flatMap((id) => {
        const account = current && this.#options.describe(current, id);
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

  /** Finds out what is to be written. */
  async #compare(userId: string, snapshot: Snapshot, areNotesAlone: boolean): Promise<Look> {
    // Ahead of the facts: what is read later may be newer, and never older.
    const mark = await snapshot.principals.mark();
    if (areNotesAlone || this.#looked.get(userId) === mark.version) return { ...mark, after: null };
    const slices = this.#options.conductor.startSlices();
    for (let after = ''; ; ) {
      const { differences, next } = await this.#page(userId, snapshot, after);
      if (differences.length > 0) return { ...mark, after };
      if (next === null) return { ...mark, after: null };
      after = next;
      if (slices.isOver()) await slices.next();
    }
  }

  /** Writes principals behind an id, and notifications. Resolves to what is left. */
  async #write(userId: string, transaction: Transaction, after: string | null): Promise<Left> {
    const { principal, notification } = this.types;
    await transaction.stateNumber(notification);
    const slices = this.#options.conductor.startSlices(undefined, true);
    const unit = new UnitOfWork(transaction, null, slices);
    const page = after === null ? null : await this.#page(userId, transaction, after);
    if (page !== null) writePrincipals(unit, principal, page);
    const findVisible = async (ids: readonly string[]) =>
      this.mode === 'all' ? ids : transaction.principals.knownAmong(userId, ids);
    const hasNotices = await takeNotices(notification, unit, findVisible);
    await unit.flush();
    await unit.record();
    return { after: page?.next ?? null, hasNotices };
  }

  #page(userId: string, snapshot: Snapshot, after: string): Promise<PrincipalPage> {
    const viewer = { userId, seesAll: this.mode === 'all' };
    return comparePrincipals(snapshot, this.types.principal, viewer, after);
  }
}

/** The rest that is to be written into an account. */
interface Left {
  /** The id behind which principals are to be written; null: they are up to date. */
  readonly after: string | null;
  readonly hasNotices: boolean;
}

interface Look extends Left {
  readonly version: string;
}

function hasAccounts(object: StoredObject): object is StoredObject & { accounts: JsonObject } {
  return isJsonObject(object['accounts'] ?? null);
}
