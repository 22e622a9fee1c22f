import { type AccountAccess, accountHas } from '../../accounts/principal.js';
import type { CopyArguments, CopyResponse } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import { finish, runInSlices } from '../../runtime/slices.js';
import { accountCapability, accountOf, sourceAccount } from '../accounts.js';
import { BlobTransfer } from '../blob/transfer.js';
import type { CallContext, StandardMethod } from '../context.js';
import { isMany, startSlices } from '../many.js';
import { sealSecrets } from '../set/secrets.js';
import { indexOf } from '../type-index.js';
import { UnitOfWork } from '../work/unit.js';
import { writeOptions } from '../work/write-options.js';
import { copiesOf, planCopy } from './copy-plan.js';
import { CopyRun } from './copy-run.js';
import { readOriginals } from './originals.js';

/**
 * Foo/copy (RFC 8620 5.4, D17): reads in a snapshot of the source account, copies the octets of
 * blobs, then writes in one transaction of the target account. Destroying the originals is a /set
 * of its own, run right after.
 */
export const copy: StandardMethod<CopyArguments, CopyResponse> = async (
  type,
  args,
  context,
  sent,
) => {
  const { services, request } = context;
  const from = sourceOf(args.fromAccountId, context);
  const index = indexOf(type);
  const planning = planCopy(index, args.create, {
    createdIds: request.createdIds,
    maximum: services.limits.maxObjectsInSet,
    ids: services.ids,
  });
  const plan = request.isLong
    ? await runInSlices(planning, startSlices(context))
    : finish(planning);
  const overrides = copiesOf(plan);
  const seals = await sealSecrets(
    index,
    { creates: overrides, updates: [], createdIds: plan.createdIds },
    context,
  );
  const isLong = request.isLong || isMany(plan.entries.size);
  // They are read at once, as those of a /get.
  if (isLong) await services.conductor.begin();
  const originals = await readOriginals(index, plan, from, args.ifFromInState, context);
  const transfer = new BlobTransfer(from, context);
  try {
    const blobs = await transfer.copy(originals.blobs);
    const { response, copied, inserted } = await services.store.write(
      accountOf(context).id,
      writeOptions(type, context, [], isLong),
      async (transaction) => {
        context.hooks?.begin();
        const slices = startSlices(context, true);
        if (isLong) await slices.next();
        const unit = new UnitOfWork(transaction, request.principal.userId, slices);
        const scene = { index, plan, seals, originals, blobs, from, context, unit, sent };
        return new CopyRun(scene).run(args);
      },
    );
    transfer.keep(inserted);
    if (args.onSuccessDestroyOriginal === true && copied.length > 0) {
      context.followWith(`${type.name}/set`, {
        accountId: from.id,
        ifInState: args.destroyFromIfInState ?? null,
        destroy: copied,
      });
    }
    return response;
  } finally {
    await transfer.discardRest();
  }
};

function sourceOf(fromAccountId: string, context: CallContext): AccountAccess {
  const from = sourceAccount(fromAccountId, context);
  const capability = accountCapability(context.method);
  if (accountHas(from, capability)) return from;
  throw new MethodError(
    'fromAccountNotSupportedByMethod',
    `The account of "fromAccountId" does not offer ${capability}.`,
  );
}
