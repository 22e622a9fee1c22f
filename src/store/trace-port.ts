/** Hears what one call asks of the database (traced.ts). Nearly all calls have none, at no cost. */
export interface Trace {
  /**
   * Hears of a statement. The engine calls the result at the answer with the number of rows read or
   * written, or with null if the statement failed or was given up. The trace learns nothing else: a
   * row's length would tell of values that the user may not see.
   */
  noteStatement(statement: TracedStatement): (rows: number | null) => void;

  /** Hears what the call does from now on, as far as the store knows. */
  phase(phase: TracePhase): void;
}

/** `waiting` for a turn, connection or lock; `committing` from the work's end to the disk. */
export type TracePhase = 'waiting' | 'working' | 'committing' | 'elsewhere';

export interface TracedStatement {
  /** Has placeholders in place of all values. */
  readonly sql: string;
  /** They leave the process only for the database. */
  readonly parameters: readonly unknown[];
  /** The statement ran in a thread for scans. */
  readonly inThread: boolean;
}

export interface StatementPlan {
  /** A line for each step, indented below the step that it serves. No line contains a value. */
  readonly steps: readonly string[];
  /** Names of the indexes, each once. */
  readonly indexes: readonly string[];
}
