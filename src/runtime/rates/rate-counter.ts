/** A request that a counter has granted or refused. */
export interface Taken {
  readonly isGranted: boolean;
  /** The key by which it counted. */
  readonly key: string;
  /** Requests that the key may still make in this window. */
  readonly left: number;
  /** The end of the window, by `performance.now()`. */
  readonly until: number;
  /** Names the window within its key, where a store has it. */
  readonly window: string;
}

/** Counts the requests of each key by one rule. */
export interface RateCounter {
  /** Counts a request of `key`, unless the rule refuses it. Refused ones don't count. */
  take(key: string): Promise<Taken> | Taken;
  /** Takes the count of a granted request back. */
  give(taken: Taken): void;
  close(): Promise<void>;
}

/** Points of one key that a store has granted, and those that it has left. */
export interface GrantedPoints {
  /** 0: the rule refuses. */
  readonly points: number;
  /** Points that nobody has taken. */
  readonly left: number;
  /** Names the window within its key. */
  readonly window: string;
  /** ms until the window ends. */
  readonly endsIn: number;
}

/** Keeps the points of one rule for several processes; a request takes one. */
export interface PointStore {
  /**
   * Takes as many of `most` points as there are. Rejects if it doesn't know by `deadline`, of
   * `performance.now()`.
   */
  take(key: string, most: number, deadline: number): Promise<GrantedPoints>;
  /** Puts points back, unless their window has ended. */
  give(key: string, points: number, window: string): Promise<void>;
}
