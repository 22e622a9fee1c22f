import type { SetArguments, SetResponse } from '../capability/standard.js';
import { finish, runInSlices } from '../runtime/slices.js';
import { accountOf } from './accounts.js';
import type { StandardMethod } from './context.js';
import { isMany, startSlices } from './many.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { sealSecrets, UNSEALED } from './set/secrets.js';
import { indexOf } from './type-index.js';
import { UnitOfWork } from './work/unit.js';
import { writeOptions } from './work/write-options.js';

/**
 * Foo/set (RFC 8620 5.3, D13): one transaction, the same number of statements for any number of
 * objects.
 */
export const set: StandardMethod<SetArguments, SetResponse> = async (type, args, context, sent) => {
  const account = accountOf(context);
  const { services, request } = context;
  const index = indexOf(type);
  // What needs no data is judged before the transaction, which others wait for.
  const planning = planSet(index, args, {
    createdIds: request.createdIds,
    maximum: services.limits.maxObjectsInSet,
    ids: services.ids,
  });
  const plan = request.isLong
    ? await runInSlices(planning, startSlices(context))
    : finish(planning);
  const seals = index.secrets.length === 0 ? UNSEALED : await sealSecrets(index, plan, context);
  const isLong =
    request.isLong || isMany(plan.creates.length + plan.updates.length + plan.destroys.length);
  const options = writeOptions(type, context, plan.updates, isLong);
  return services.store.write(account.id, options, async (transaction) => {
    context.hooks?.begin();
    const slices = startSlices(context, true);
    if (isLong) await slices.next();
    const unit = new UnitOfWork(transaction, request.principal.userId, slices);
    const run = new SetRun({ index, plan, seals, sent }, context, unit);
    await run.run(args.ifInState);
    const changed = run.response();
    if (slices.isOver()) await slices.next();
    await unit.record();
    if (slices.isOver()) await slices.next();
    const response = (await context.hooks?.complete(changed, transaction)) ?? changed;
    await context.admit(response, run.createdIds, slices);
    return response;
  });
};
