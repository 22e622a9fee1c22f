/**
 * A job that one tab does for all. `sync` sends the log and commits the answers, a cycle at a time.
 * `push` keeps the connection by which the server tells of changes. `upload` sends a file; its key
 * follows.
 */
export type Role = 'sync' | 'push' | `upload ${string}`;

/** The signal is aborted when another tab has taken the role, since this one didn't answer. */
export type Work<T> = (signal: AbortSignal) => Promise<T>;

export interface Roles {
  /**
   * Waits for a role and runs work while no other tab has it. `signal` ends both: rejects with its
   * reason where it is aborted before the work begins. A tab that lost its role without noticing
   * may still work: what it commits must have the epoch of a fence that the work has raised.
   */
  run<T>(role: Role, work: Work<T>, signal: AbortSignal): Promise<T>;
}

/** The tabs of a browser that share a store. */
export interface Tabs<Message> {
  /**
   * Runs work while no other tab has the role. The signal of the work is aborted when another tab
   * has taken it. Commits of the work need an epoch of a fence that it has raised itself.
   */
  runExclusive<T>(role: Role, work: Work<T>): Promise<T>;
  /** Tells all other tabs, by a structured clone. Does nothing once this is closed. */
  announce(message: Message): void;
  /**
   * Calls `listener` with what others announce. `hasMissed`: an earlier message of the same tab
   * has not come, so the store has more news. Returns the function that ends this.
   */
  onMessage(listener: (message: Message, hasMissed: boolean) => void): () => void;
  /** Ends all waiting and work, which reject at once. Resolves when the work has given way. */
  close(): Promise<void>;
}

/** Tabs of one origin. Each is told what others post, and nothing of its own. */
export type Channel = Pick<BroadcastChannel, 'addEventListener' | 'postMessage' | 'close'>;
