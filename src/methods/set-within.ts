import type { SetWithin } from './hooks/port.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { sealSecrets } from './set/secrets.js';
import { indexOf } from './type-index.js';
import { UnitOfWork } from './work/unit.js';

/** Foo/set in a transaction that is open: `tx.set` of hooks. */
export const setWithin: SetWithin = async (type, args, context, transaction) => {
  const index = indexOf(type);
  const { request, services } = context;
  const plan = planSet(index, args, {
    createdIds: request.createdIds,
    maximum: services.limits.maxObjectsInSet,
    ids: services.ids,
    author: 'hook',
  });
  const seals = await sealSecrets(index, plan, services);
  const unit = new UnitOfWork(transaction);
  const run = new SetRun({ index, plan, seals }, context, unit);
  await run.run(args.ifInState);
  const response = run.response();
  await unit.record();
  return response;
};
