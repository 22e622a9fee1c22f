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
  /** Is told that users may reach other accounts than `refresh` remembers. */
  readonly onMoved: () => void;
  /** Resolves to what a principal reaches now; null where it may do nothing any more. */
  readonly refresh: (principal: Principal) => Promise<Principal | null>;
  /** Resolves to users for whom there are notices. */
  readonly findNoticed: (limit: number) => Promise<readonly string[]>;
  /** How long a look at an account may take that nobody waits for, ms. */
  readonly patience: number;
  readonly onError: (error: unknown) => void;
}

/** Users whose accounts are known to be up to date. */
const MAX_KNOWN = 10_000;

/** The pause between two looks at the users who listen, and ahead of one that has failed, ms. */
const LOOK_PAUSE = 5000;
/** The longest pause behind looks that go on failing, ms: each may hold up the others. */
const MAX_PAUSE = 300_000;

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
  /** Users whose look has failed: they wait for the next one. */
  readonly #failed = new Set<string>();
  readonly #unsubscribe: () => void;
  #running: Promise<void> | null = null;
  #finding: Promise<void> | null = null;
  #lastLook = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Before failed looks are made again, ms: it doubles until all succeed. */
  #retryPause = LOOK_PAUSE;
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
    const isMoved = !areNotesAlone && this.#looked.get(userId) !== version;
    if (isMoved) this.#options.onMoved();
    while (left.after !== null || left.hasNotices) {
      const { after } = left;
      const work = (transaction: Transaction) => this.#write(userId, transaction, after);
      const wrote = await store.write(accountId, { ...options, isLong: true }, work);
      // Equal principals take no turn of the writer.
      const find = (snapshot: Snapshot) => this.#findDifference(userId, snapshot, wrote.after);
      left = { ...wrote, after: wrote.after && (await store.read(accountId, options, find)) };
    }
    if (isMoved) setNewest(this.#looked, userId, version, MAX_KNOWN);
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
      this.#tryLater(error);
    }
  }

  /** Tells of a failure, and has all looked at after a pause for whom there is something to do. */
  #tryLater(error: unknown): void {
    this.#options.onError(error);
    if (this.#isClosed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#retryPause = Math.min(this.#retryPause * 2, MAX_PAUSE);
      this.lookAtNoticed();
      this.lookAt(this.#failed);
      this.#failed.clear();
    }, this.#retryPause).unref();
  }

  /** Has the accounts of users who listen looked at, at most once in some seconds. */
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
    clearTimeout(this.#retry);
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
      try {
        await this.open(userId, { deadline }, areNotesAlone);
      } catch (error) {
        // Notices are found again.
        if (!areNotesAlone) this.#failed.add(userId);
        this.#tryLater(error);
      }
    }
    this.#running = null;
    if (this.#retry === undefined) this.#retryPause = LOOK_PAUSE;
  }

  /** Finds out what is to be written. */
  async #compare(userId: string, snapshot: Snapshot, areNotesAlone: boolean): Promise<Look> {
    // Ahead of the facts: what is read later may be newer, and never older.
    const mark = await snapshot.principals.mark();
    if (areNotesAlone || this.#looked.get(userId) === mark.version) return { ...mark, after: null };
    return { ...mark, after: await this.#findDifference(userId, snapshot, '') };
  }

  /** Resolves to the id behind which the first difference is, from one on; null: there is none. */
  async #findDifference(
    userId: string,
    snapshot: Snapshot,
    from: string | null,
  ): Promise<string | null> {
    const slices = this.#options.conductor.startSlices();
    for (let after = from; after !== null; ) {
      const { differences, next } = await this.#page(userId, snapshot, after);
      if (differences.length > 0) return after;
      after = next;
      if (slices.isOver()) await slices.next();
    }
    return null;
  }

  /** Writes principals behind an id, and notifications. Resolves to what may be left. */
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
  /** The id behind which principals may be others; null: they are up to date. */
  readonly after: string | null;
  readonly hasNotices: boolean;
}

interface Look extends Left {
  readonly version: string;
}

function hasAccounts(object: StoredObject): object is StoredObject & { accounts: JsonObject } {
  return isJsonObject(object['accounts'] ?? null);
}
