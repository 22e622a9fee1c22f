import type { DataTypeDefinition } from '../capability/definition.js';
import type { SetArguments, SetResponse } from '../capability/standard.js';
import { finish } from '../runtime/slices.js';
import type { CallContext } from './context.js';
import { planSet } from './set/plan.js';
import { SetRun } from './set/run.js';
import { sealSecrets } from './set/secrets.js';
import { indexOf } from './type-index.js';
import type { UnitOfWork } from './work/unit.js';

/** Runs a Foo/set inside a transaction that is open: `tx.set` of hooks. */
export async function setWithin(
  type: DataTypeDefinition,
  args: SetArguments,
  context: CallContext,
  unit: UnitOfWork,
): Promise<SetResponse> {
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
}
