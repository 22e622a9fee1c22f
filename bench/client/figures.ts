/** The figures of the programs; times in milliseconds, memory in octets. */

export interface ListFigures {
  /** Octets of all objects, and of the large list. */
  readonly memory: number;
  readonly listMemory: number;
  readonly rows: number;
  /** Milliseconds. */
  readonly first: number;
  readonly firstTask: number;
  readonly updates: number;
  readonly updatesTask: number;
  readonly one: number;
  readonly onePast: number;
  readonly write: number;
}

export interface ColdStart {
  /** Milliseconds from the call of `connect` to the first rows of a list of 50, and to all rows. */
  readonly first: number;
  readonly all: number;
  /** The longest task. */
  readonly longest: number;
}

/** The measurements that a page makes. */
export interface BenchPage {
  /** Resolves to the median of `saved`, ms. */
  measureSaved(count: number): Promise<number>;
  /** Keeps so many objects in the browser. */
  fill(size: number): Promise<void>;
  /** Starts from what the browser keeps. */
  start(size: number): Promise<ColdStart>;
  /** Opens a client that has its data by now, and no network. */
  openOffline(): Promise<void>;
  /** Writes so often; resolves to the times of the writes, ms since 1970. */
  write(count: number): Promise<readonly number[]>;
  /** Resolves to the times at which so many writes of another tab have shown, ms since 1970. */
  shown(count: number): Promise<readonly number[]>;
}

export interface SyncFigures {
  /** Of the first synchronisation; milliseconds. */
  readonly first: number;
  readonly requests: number;
  readonly longest: number;
  /** From the answer of another client's write to the subscriber; milliseconds. */
  readonly elsewhere: number;
}

export interface CatchUp {
  readonly requests: number;
  /** Octets of all of them, as JSON, without HTTP and without compression. */
  readonly sent: number;
  readonly received: number;
}
