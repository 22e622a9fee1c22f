import { beatPayload } from './payload.js';

/** One session of the database that is the hub's own. Its promises reject when it is lost. */
export interface HubSession {
  /** Sends a payload to all that listen. */
  notify(payload: string): Promise<void>;
  /** Ends what is left of earlier sessions of this process, and has the database notice our end. */
  settle(): Promise<void>;
  /**
   * Ends the sessions of processes that have been silent for so long, ms: they may hold shards and
   * serve nothing. Sessions that they have opened since then stay.
   */
  expel(origins: readonly string[], silence: number): Promise<void>;
  /** Takes those of the shards that nobody has. Resolves to them. */
  takeShards(shards: readonly number[]): Promise<readonly number[]>;
  releaseShards(shards: readonly number[]): Promise<void>;
  end(): Promise<void>;
  /** Cuts the connection. */
  destroy(): void;
}

export interface SessionListener {
  payload(text: string): void;
  /**
   * The session is lost, also by itself after shards could not be taken. Not told of one that `end`
   * or `destroy` of the hub has ended.
   */
  lost(error: unknown): void;
}

/** The database, as a hub needs it. */
export interface HubDatabase {
  /** Opens a session that listens. Rejects in time where it can't be had. */
  listen(listener: SessionListener): Promise<HubSession>;
  /** Sends a payload by another connection. Rejects in time where it can't. */
  announce(payload: string): Promise<void>;
}

export interface SessionTimes {
  /** From a beat that has come back to the next one, ms. */
  readonly beat: number;
  /** How long a beat may take to come back, ms. */
  readonly patience: number;
  /** The pauses between attempts to open the session: the first, and the longest, ms. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The pause where the session opens but hears nothing, ms: each attempt costs a pooler. */
  readonly deafPause: number;
}

export interface SessionOptions {
  readonly database: HubDatabase;
  readonly times: SessionTimes;
  /** Returns the text that all payloads begin with, now. */
  readonly head: () => string;
  /** Takes all payloads, those of this process too. */
  readonly payload: (text: string) => void;
  /** A session hears what others send. */
  readonly opened: (session: HubSession) => void;
  /** A beat has come back; at first after `opened`. `sentAt`: of `performance.now()`. */
  readonly beaten: (session: HubSession, sentAt: number) => void;
  /** The session of `opened` is gone. */
  readonly lost: () => void;
  /** A session could not be had, or was lost. `isDeaf`: it opens, but hears nothing. */
  readonly failed: (error: unknown, isDeaf: boolean) => void;
}

/**
 * Keeps a session that hears what others send. Each beat goes through the database and must come
 * back in time: a network may have lost the connection without a word. The first beat takes
 * another connection. So it also finds poolers that share their sessions: behind one a process
 * hears itself alone.
 */
export class SteadySession {
  readonly #options: SessionOptions;
  #session: HubSession | null = null;
  #hasOpened = false;
  #number = 0;
  /** When the last beat was sent, of `performance.now()`. */
  #sentAt = 0;
  #pause: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#pause = options.times.firstPause;
    void this.#open();
  }

  /** The session, where it hears what others send. */
  get session(): HubSession | null {
    return this.#hasOpened ? this.#session : null;
  }

  /** Takes a beat of this process that has come back. */
  returned(number: number): void {
    const session = this.#session;
    if (session === null || number !== this.#number) return;
    clearTimeout(this.#timer);
    this.#number += 1;
    const sentAt = this.#sentAt;
    const next = (): void => {
      if (session !== this.#session) return;
      if (!this.#hasOpened) {
        this.#hasOpened = true;
        this.#pause = this.#options.times.firstPause;
        this.#options.opened(session);
      }
      this.#options.beaten(session, sentAt);
      this.#after(this.#options.times.beat, () => this.#beat(session));
    };
    if (this.#hasOpened) next();
    else session.settle().then(next, (error) => this.#lose(session, error, false));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const session = this.#session;
    this.#session = null;
    await session?.end().catch(() => session.destroy());
  }

  async #open(): Promise<void> {
    let session: HubSession | null = null;
    // It may be lost before it is returned.
    const early: { error?: unknown } = {};
    const lost = (error: unknown): void => {
      early.error = error;
      if (session !== null) this.#lose(session, error, false);
    };
    try {
      session = await this.#options.database.listen({ payload: this.#options.payload, lost });
    } catch (error) {
      this.#failed(error, false);
      return;
    }
    if (this.#isClosed) {
      session.destroy();
      return;
    }
    this.#session = session;
    if ('error' in early) this.#lose(session, early.error, false);
    else await this.#sayHello(session);
  }

  /** It is known to hear others once this has come back. */
  async #sayHello(session: HubSession): Promise<void> {
    const { database, head, times } = this.#options;
    this.#number += 1;
    const number = this.#number;
    this.#sentAt = performance.now();
    try {
      await database.announce(beatPayload(head(), 'hello', number));
    } catch (error) {
      this.#lose(session, error, false);
      return;
    }
    if (session !== this.#session || number !== this.#number || this.#hasOpened) return;
    this.#after(times.patience, () => this.#lose(session, new Error(UNHEARD), true));
  }

  #beat(session: HubSession): void {
    const { head, times } = this.#options;
    this.#number += 1;
    this.#sentAt = performance.now();
    this.#after(times.patience, () => this.#lose(session, new Error(UNHEARD), false));
    session
      .notify(beatPayload(head(), 'beat', this.#number))
      .catch((error) => this.#lose(session, error, false));
  }

  #lose(session: HubSession, error: unknown, isDeaf: boolean): void {
    if (session !== this.#session) return;
    this.#session = null;
    session.destroy();
    if (this.#hasOpened) {
      this.#hasOpened = false;
      this.#options.lost();
    }
    this.#failed(error, isDeaf);
  }

  #failed(error: unknown, isDeaf: boolean): void {
    if (this.#isClosed) return;
    this.#options.failed(error, isDeaf);
    const { longestPause, deafPause } = this.#options.times;
    // Jitter: servers that lost the same database must not all come back at once.
    const pause = (isDeaf ? deafPause : this.#pause) * (0.5 + Math.random() / 2);
    this.#pause = Math.min(this.#pause * 2, longestPause);
    this.#after(pause, () => void this.#open());
  }

  #after(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms).unref();
  }
}

const UNHEARD = 'The session does not hear its own beat.';
