import type { SetArguments, SetResponse } from '../capability/standard.js';
import { accountOf } from './accounts.js';
import type { StandardMethod } from './context.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { indexOf } from './type-index.js';

/**
 * Foo/set (RFC 8620 5.3, D13): one transaction, the same number of statements for any number of
 * objects.
 */
export const set: StandardMethod<SetArguments, SetResponse> = async (type, args, context) => {
  const account = accountOf(context);
  const { services, request } = context;
  const index = indexOf(type);
  // What needs no data is judged before the transaction, which others wait for.
  const plan = planSet(index, args, request.createdIds, services.limits.maxObjectsInSet);
  return services.store.write(account.id, context, (transaction) =>
    new SetRun(index, plan, context, transaction).run(args.ifInState),
  );
};
