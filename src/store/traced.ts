import type {
  CallOptions,
  ChangesAsked,
  ObjectsAsked,
  PageAsked,
  QueryPage,
  Snapshot,
  StateAndChanges,
  StateAndObjects,
  StateChange,
  StatementPlan,
  Store,
  Trace,
  TracedStatement,
  Transaction,
} from './port.js';

/** A store for one call, which tells its trace what the call asks of the store, and when it waits. */
export class TracedStore implements Store {
  readonly #store: Store;
  readonly #trace: Trace;

  constructor(store: Store, trace: Trace) {
    this.#store = store;
    this.#trace = trace;
  }

  read<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.#store.read(accountId, { ...options, trace: this.#trace }, work);
  }

  readObjects(asked: ObjectsAsked): Promise<StateAndObjects> {
    return this.#store.readObjects({ ...asked, trace: this.#trace });
  }

  readChanges(asked: ChangesAsked): Promise<StateAndChanges> {
    return this.#store.readChanges({ ...asked, trace: this.#trace });
  }

  readPage(asked: PageAsked): Promise<QueryPage> {
    return this.#store.readPage({ ...asked, trace: this.#trace });
  }

  write<T>(
    accountId: string,
    options: CallOptions,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const trace = this.#trace;
    return timeWork(trace, work, 'committing', (told) =>
      this.#store.write(accountId, { ...options, trace }, told),
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

  traced(trace: Trace): Store {
    return this.#store.traced(trace);
  }

  plans(
    accountId: string,
    deadline: number,
    statements: readonly TracedStatement[],
  ): Promise<readonly (StatementPlan | null)[]> {
    return this.#store.plans(accountId, deadline, statements);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/**
 * Runs a work whose time is told of as waiting and working, and `behind` from its end, where it is explained. It may
 * be run more than once: what lies between is waiting.
 */
export async function timeWork<S, T>(
  trace: Trace | undefined,
  work: (scope: S) => Promise<T>,
  behind: 'waiting' | 'committing',
  run: (work: (scope: S) => Promise<T>) => Promise<T>,
): Promise<T> {
  if (trace === undefined) return run(work);
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
