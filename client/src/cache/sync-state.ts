import type { Loss } from '../store/store-writer.js';
import { isEqual } from '../store/values.js';
import type { AccountCache } from './account-cache.js';
import type { SyncControl, SyncSnapshot } from './cached-types.js';
import { Variable } from './observable.js';

/** How often the client asks for changes where nothing tells it of them, in milliseconds. */
const POLL = 30_000;

/** From the best state to the worst: that of the client is the worst of its accounts. */
const RANKS: readonly SyncSnapshot['status'][] = [
  'live',
  'loading',
  'offline',
  'error',
  'needsAuth',
  'replaced',
];

/** Events of browsers after which the server may be there again, or have news. */
const WAKING = ['online', 'visibilitychange'] as const;

/** Starts the cycles of all accounts, and tells how they are. */
export class SyncState {
  readonly control: SyncControl;
  readonly #accounts: ReadonlyMap<string, AccountCache>;
  readonly #snapshot = new Variable<SyncSnapshot>({
    status: 'loading',
    pending: 0,
    lastSynced: null,
    progress: null,
    storage: 'kept',
  });
  readonly #timer: ReturnType<typeof setInterval>;
  #isPushed = false;
  #retry: () => void = () => undefined;
  #loss: Loss | null = null;

  constructor(accounts: ReadonlyMap<string, AccountCache>) {
    this.#accounts = accounts;
    this.#timer = setInterval(() => {
      if (!this.#isPushed && !isHidden()) this.#each((account) => account.want());
    }, POLL);
    for (const event of WAKING) globalThis.addEventListener?.(event, this.#onEvent, true);
    this.control = {
      getSnapshot: this.#snapshot.getSnapshot,
      subscribe: this.#snapshot.subscribe,
      settled: () => this.settle(),
      wake: (accountId, types) => {
        this.#each((account) => {
          if (accountId === undefined || account.id === accountId) account.hint(types);
        });
      },
      setPushed: (isPushed) => {
        this.#isPushed = isPushed;
      },
    };
  }

  /** Calls `retry` whenever the server may be there again. */
  onWake(retry: () => void): void {
    this.#retry = retry;
  }

  /** Notes that the store keeps nothing more; null: it does again. */
  noteLoss(loss: Loss | null): void {
    this.#loss = loss;
    this.show();
    this.#each((account) => account.showStatus());
  }

  /** Tells the state where it is another one. */
  readonly show = (): void => {
    const states = Array.from(this.#accounts.values(), ({ state }) => state);
    const statuses = states.map(({ status }) => status);
    const synced = states.map(({ lastSynced }) => lastSynced);
    const before = this.#snapshot.getSnapshot();
    const next: SyncSnapshot = Object.freeze({
      status: this.#loss === 'fenced' ? 'replaced' : findWorst(statuses),
      pending: states.reduce((sum, { pending }) => sum + pending, 0),
      lastSynced: synced.includes(null) ? null : findLeast(synced),
      progress: findLeast(states.map(({ progress }) => progress)),
      storage: this.#loss === null ? 'kept' : 'lost',
    });
    if (!isEqual({ ...next }, { ...before })) this.#snapshot.set(next);
  };

  async settle(): Promise<void> {
    await Promise.all(Array.from(this.#accounts.values(), (account) => account.settle()));
  }

  /** Ends all cycles. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const event of WAKING) globalThis.removeEventListener?.(event, this.#onEvent, true);
    await Promise.all(Array.from(this.#accounts.values(), (account) => account.close()));
  }

  readonly #onEvent = (): void => {
    if (isHidden()) return;
    this.#retry();
    this.#each((account) => account.wake());
  };

  #each(act: (account: AccountCache) => void): void {
    for (const account of this.#accounts.values()) act(account);
  }
}

function findWorst(statuses: readonly SyncSnapshot['status'][]): SyncSnapshot['status'] {
  const ranks = statuses.map((status) => RANKS.indexOf(status));
  return RANKS[Math.max(0, ...ranks)] ?? 'error';
}

/** Returns the least of numbers; null: all are unknown. */
function findLeast(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

function isHidden(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}
