import type { SetWithin } from './hooks/port.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { indexOf } from './type-index.js';

/** Foo/set in a transaction that is open: `tx.set` of hooks. */
export const setWithin: SetWithin = (type, args, context, transaction) => {
  const index = indexOf(type);
  const { request, services } = context;
  const plan = planSet(index, args, request.createdIds, services.limits.maxObjectsInSet);
  return new SetRun(index, plan, context, transaction).run(null);
};
