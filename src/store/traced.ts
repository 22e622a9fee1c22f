import type {
  CallOptions,
  InstantReads,
  Snapshot,
  StateChange,
  StatementPlan,
  Store,
  Trace,
  TracedStatement,
  Transaction,
} from './port.js';

/** A store for one call, which tells its trace what the call asks of the store, and when it waits. */
export class TracedStore implements Store {
  readonly instant?: InstantReads;
  readonly #store: Store;
  readonly #trace: Trace;

  /** `instant`: the reads of the store's own, on a connection that is traced. */
  constructor(store: Store, trace: Trace, instant?: InstantReads) {
    this.#store = store;
    this.#trace = trace;
    if (instant !== undefined) this.instant = instant;
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return timeWork(this.#trace, work, 'waiting', (told) =>
      this.#store.read(accountId, { ...options, trace: this.#trace }, told),
    );
  }

  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return timeWork(this.#trace, work, 'committing', (told) =>
      this.#store.write(accountId, { ...options, trace: this.#trace }, told),
    );
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    return this.#store.onCommit(listener);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  pruneChanges(before: number, limit: number): Promise<number> {
    return this.#store.pruneChanges(before, limit);
  }

  collectBlobs(before: number, limit: number): ReturnType<Store['collectBlobs']> {
    return this.#store.collectBlobs(before, limit);
  }

  async plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]> {
    const plans = await this.#store.plans?.(accountId, deadline, statements);
    return plans ?? statements.map(() => null);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/**
 * Runs a work whose time is told of as waiting and working, and `behind` from its end. It may be run
 * more than once: what lies between is waiting.
 */
export async function timeWork<S, T>(
  trace: Trace,
  work: (scope: S) => Promise<T>,
  behind: 'waiting' | 'committing',
  run: (work: (scope: S) => Promise<T>) => Promise<T>,
): Promise<T> {
  trace.phase('waiting');
  try {
    return await run(async (scope) => {
      trace.phase('working');
      let next: 'waiting' | 'committing' = 'waiting';
      try {
        const result = await work(scope);
        next = behind;
        return result;
      } finally {
        trace.phase(next);
      }
    });
  } finally {
    trace.phase('elsewhere');
  }
}

/**
 * One after the other. Null where the database refuses it, or is gone, and once the time is over: the calls have been
 * answered, and others may have their plans.
 */
export async function plansInTime(
  deadline: number,
  statements: readonly TracedStatement[],
  planOf: (statement: TracedStatement) => Promise<StatementPlan>,
): Promise<readonly (StatementPlan | null)[]> {
  const plans: (StatementPlan | null)[] = [];
  for (const statement of statements) {
    const isLate = performance.now() > deadline;
    plans.push(isLate ? null : await planOf(statement).catch(() => null));
  }
  return plans;
}

/** Runs a statement; `rowsOf` counts the rows of its answer, which may be a promise. */
export function tracedAnswer<R>(
  trace: Trace,
  statement: TracedStatement,
  run: () => R,
  rowsOf: (answer: Awaited<R>) => number,
): R {
  const answered = trace.asked(statement);
  const tell = (answer: Awaited<R>): Awaited<R> => {
    answered(rowsOf(answer));
    return answer;
  };
  const fail = (error: unknown): never => {
    answered(null);
    throw error;
  };
  let answer: R;
  try {
    answer = run();
  } catch (error) {
    return fail(error);
  }
  return answer instanceof Promise
    ? (answer.then(tell, fail) as R)
    : (tell(answer as Awaited<R>) as R);
}
