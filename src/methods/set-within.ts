import { finish } from '../protocol/slices.js';
import type { SetWithin } from './hooks/port.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { sealSecrets } from './set/secrets.js';
import { indexOf } from './type-index.js';

/** Foo/set in a unit of work that goes on: `tx.set` of hooks. */
export const setWithin: SetWithin = async (type, args, context, unit) => {
  const index = indexOf(type);
  const { request, services } = context;
  const scene = {
    createdIds: request.createdIds,
    maximum: services.limits.maxObjectsInSet,
    ids: services.ids,
    author: 'hook',
  } as const;
  const plan = finish(planSet(index, args, scene));
  const seals = await sealSecrets(index, plan, context);
  const run = new SetRun({ index, plan, seals }, context, unit);
  await run.run(null);
  return run.response();
};
