import { sleep } from '../call/retry.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { CommitNews } from '../store/account-store.js';
import type { StoreWriter, Turn } from '../store/store-writer.js';
import type { Role, Tabs, Work } from '../tabs/roles.js';
import type { ChangedStates } from '../transport/push.js';

/** The news that tabs tell each other, by kinds. */
export interface NewsKinds {
  /** It has changed an account. */
  readonly commit: CommitNews;
  /** It has changed rows that are of no account. */
  readonly rows: readonly RowChange[];
  /** A cycle has ended: null, or the type of the error; and whether nothing is left to do. */
  readonly report: {
    readonly accountId: string;
    readonly failure: string | null;
    readonly isDone: boolean;
  };
  /** The state of the session that it has got. */
  readonly session: string;
  /** The server has told states; null: any may have changed. */
  readonly states: ChangedStates | null;
  /** Whether the server tells of changes at present. */
  readonly push: boolean;
  /** It has just been opened, or asks whether others are there: they tell `push`, or `here`. */
  readonly hello: null;
  /** It is there, and has nothing else to tell. */
  readonly here: null;
  /** The server may be there again: whoever has push tries at once. */
  readonly retry: null;
  /** The user has logged out. */
  readonly logout: null;
}

/** Called with what another tab has told. */
export type NewsListeners = {
  readonly [Kind in keyof NewsKinds]: (news: NewsKinds[Kind]) => void;
};

/** An account that makes cycles in turn with other tabs. */
export interface TurnTaker {
  /** Reads what others have committed. */
  readonly begin: (turn: Turn, store: OpenStore) => Promise<void>;
  readonly end: () => void;
}

/** How long a tab waits where it can't ask for a role, ms. */
const PAUSE = 1000;

/** Another tab that has told nothing for so long may be gone: it is asked. ms. */
const QUIET = 5 * 60_000;
/** How long it may take to answer, ms. */
const PATIENCE = 10_000;

type News = readonly [kind: keyof NewsKinds, news: unknown];

/** The tabs of a browser that share the store of a client: they make cycles in turn. */
export class Peers {
  readonly #tabs: Tabs<News> | null;
  readonly #store: OpenStore;
  readonly #writer: StoreWriter;
  #last: Promise<unknown> = Promise.resolve();
  readonly #ending = new AbortController();
  /** When another tab has told something; null: none has, or it doesn't answer. */
  #heardAt: number | null = null;
  #askedAt: number | null = null;
  readonly #turns = new Set<Promise<unknown>>();
  /** Turns wait for it. */
  #pause: Promise<unknown> = Promise.resolve();

  constructor(tabs: Tabs<unknown> | null, store: OpenStore, writer: StoreWriter) {
    this.#tabs = tabs as Tabs<News> | null;
    this.#store = store;
    this.#writer = writer;
  }

  get isShared(): boolean {
    return this.#tabs !== null;
  }

  /** Returns whether another tab is there, as far as anybody knows. Asks one that is quiet. */
  findOthers(): boolean {
    const now = Date.now();
    if (this.#heardAt !== null && now - this.#heardAt > QUIET) {
      if (this.#askedAt === null) this.announce('hello', null);
      this.#askedAt ??= now;
      // A tab that is frozen can't answer: it asks for what is gone once it is thawed.
      if (now - this.#askedAt > PATIENCE) this.#heardAt = null;
    }
    return this.#heardAt !== null;
  }

  /** Calls `onGap` where others may have told what has not come, or the page was frozen. */
  listen(listeners: NewsListeners, onGap: () => void): void {
    if (this.#tabs === null) return;
    this.#tabs.onMessage(([kind, news], hasMissed) => {
      this.#heardAt = Date.now();
      this.#askedAt = null;
      if (hasMissed) onGap();
      (listeners[kind] as (news: unknown) => void)(news);
    });
    if (typeof document === 'undefined') return;
    const { signal } = this.#ending;
    document.addEventListener('resume', onGap, { signal });
    globalThis.addEventListener('pageshow', ({ persisted }) => persisted && onGap(), { signal });
  }

  /** Tells the others behind all before, once `durable` has resolved to true. */
  announce<Kind extends keyof NewsKinds>(
    kind: Kind,
    news: NewsKinds[Kind],
    durable: Promise<boolean> = Promise.resolve(true),
  ): void {
    const tabs = this.#tabs;
    if (tabs === null) return;
    this.#last = Promise.all([durable, this.#last]).then(([isDurable]) => {
      if (isDurable) tabs.announce([kind, news]);
    });
  }

  /** Does work of an account while no other tab does any. */
  async takeTurn<T>(taker: TurnTaker, work: () => Promise<T>): Promise<T> {
    const turn = this.#pause.then(() => this.#takeTurn(taker, work));
    this.#turns.add(turn);
    return turn.finally(() => this.#turns.delete(turn));
  }

  /** Does work while this tab takes no turns. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    const paused = Promise.allSettled(this.#turns).then(work);
    this.#pause = paused.catch(() => undefined);
    return paused;
  }

  /** Does work under a new epoch of a store while no other tab takes turns. */
  async runAlone<T>(store: OpenStore, work: (turn: Turn) => Promise<T>): Promise<T> {
    if (this.#tabs === null) throw new Error('The client has the store alone.');
    return this.#tabs.runExclusive('sync', async (signal) => {
      const turn = { epoch: await store.fence(), isFenced: signal.aborted };
      signal.addEventListener('abort', () => {
        turn.isFenced = true;
      });
      return work(turn);
    });
  }

  async #takeTurn<T>(taker: TurnTaker, work: () => Promise<T>): Promise<T> {
    const [store, writer] = [this.#store, this.#writer];
    if (this.#tabs === null || writer.loss !== null) return work();
    try {
      return await this.runAlone(store, async (turn) => {
        try {
          await taker.begin(turn, store);
          return await work();
        } finally {
          await writer.settle();
          await this.#last;
          taker.end();
        }
      });
    } catch (error) {
      // A store without room can't take turns.
      if (!['StoreLostError', 'QuotaError'].includes((error as Error).name)) throw error;
      writer.lose('lost');
      return work();
    }
  }

  /** Does work while no other tab has its role. */
  hold(role: Role, work: Work<void>): Promise<void> {
    const tabs = this.#writer.loss === null ? this.#tabs : null;
    return tabs?.runExclusive(role, work) ?? work(this.#ending.signal);
  }

  /** Does work that lasts in one tab, for all of them. The next one takes over. */
  async lead(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    if (this.#tabs === null) await work(signal);
    while (this.#tabs !== null && !signal.aborted) {
      const done = this.#tabs.runExclusive('push', work);
      await done.catch(() => sleep(PAUSE, signal)).catch(() => undefined);
    }
  }

  /** Resolves when all is told. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#last;
    await this.#tabs?.close();
  }
}
