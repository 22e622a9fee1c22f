import { storeWith } from './delegate.js';
import type { StatementPlan, Store, Trace, TracedStatement } from './port.js';

/**
 * Returns the store for one call, whose trace is told what the call asks of it, and when it waits.
 */
export function tracedStore(store: Store, trace: Trace): Store {
  return storeWith(store, {
    read: (accountId, options, work) => store.read(accountId, { ...options, trace }, work),
    readObjects: (request) => store.readObjects({ ...request, trace }),
    readChanges: (request) => store.readChanges({ ...request, trace }),
    readPage: (request) => store.readPage({ ...request, trace }),
    write: (accountId, options, work) =>
      timeWork(trace, work, 'committing', (timedWork) =>
        store.write(accountId, { ...options, trace }, timedWork),
      ),
  });
}

/**
 * Runs a work. If it is explained, tells its time as waiting and working, and `behind` from its
 * end. A work may run more than once; the time between is waiting.
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
 * Plans statements one after the other. Null if the database refuses or is gone, and once the time
 * is over: the calls are answered already, and others may have their plans.
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
