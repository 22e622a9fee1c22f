import type { CopyArguments, CopyResponse } from '../../capability/standard.js';
import { accountOf, sourceAccount, typeOf } from '../accounts.js';
import { NewBlobs } from '../blob/call-blobs.js';
import type { MethodBody } from '../context.js';
import { FEW_OBJECTS } from '../long-calls.js';
import { sealSecrets } from '../set/secrets.js';
import { runPlanning, sceneOf, writeOptions, writeSet } from '../set/set.js';
import { indexOf } from '../type-index.js';
import { planCopy } from './copy-plan.js';
import { draftCopies } from './draft-copies.js';
import { readOriginals } from './originals.js';

const UNSUPPORTED = 'fromAccountNotSupportedByMethod';

/**
 * Foo/copy (RFC 8620 5.4, D17): reads in a snapshot of the source account, copies the octets of
 * blobs, then creates the objects as a /set of the target account. Destroying the originals is a
 * /set of its own, run right after.
 */
export const copy: MethodBody<CopyArguments, CopyResponse> = async (args, context, sent) => {
  const type = typeOf(context);
  const { services, request } = context;
  const { id: accountId } = accountOf(context);
  const { ifInState } = args;
  const from = sourceAccount(args.fromAccountId, context, UNSUPPORTED);
  const index = indexOf(type);
  const planning = planCopy(index, args.create, sceneOf(context));
  const plan = await runPlanning(planning, context);
  const overrides = { ...plan, author: 'client', updates: [], destroys: [] } as const;
  const seals = await sealSecrets(index, overrides, context);
  const isLong = request.isLong || plan.creates.length > FEW_OBJECTS;
  // They are read at once, as those of a /get.
  if (isLong) await services.conductor.begin();
  const scene = { index, plan, from, context, sent };
  const source = await readOriginals(scene, args.ifFromInState);
  const newBlobs = new NewBlobs(context);
  try {
    const blobs = await newBlobs.copyFrom(from.id, source.blobs);
    const drafting = draftCopies({ ...scene, originals: source.objects, blobs });
    const creates = await runPlanning(drafting, context);
    const prepared = { index, plan: { ...overrides, creates }, seals };
    const options = writeOptions(type, context, [], isLong);
    const { response, createdIds, unit } = await services.store.write(
      accountId,
      options,
      (transaction) =>
        writeSet(
          { prepared, ifInState, newBlobs: blobs.values(), isLong },
          context,
          transaction,
          (done) => {
            const { oldState, newState, created, notCreated } = done;
            return { fromAccountId: from.id, accountId, oldState, newState, created, notCreated };
          },
        ),
    );
    newBlobs.keep(unit.blobs.inserted);
    const copied = new Set(createdIds.map(([key]) => plan.sourceIds.get(key)));
    if (args.onSuccessDestroyOriginal === true && copied.size > 0) {
      context.followWith(`${type.name}/set`, {
        accountId: from.id,
        ifInState: args.destroyFromIfInState ?? null,
        destroy: [...copied],
      });
    }
    return response;
  } finally {
    await newBlobs.discardRest();
  }
};
