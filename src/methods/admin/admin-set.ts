import { type DirectoryTransaction, RefusedError } from '../../accounts/admin-port.js';
import type { SetArguments } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type { Answer, MethodBody } from '../context.js';
import { planSet } from '../set/plan-set.js';
import { runPlanning, sceneOf } from '../set/set.js';
import { indexOf } from '../type-index.js';
import { AdminSetRun } from './admin-set-run.js';
import { addressedBy } from './directory-of.js';

/**
 * Answers AdminUser/set and its like (RFC 8620 5.3), in one transaction that also writes the audit.
 */
export const adminSet: MethodBody<SetArguments> = async (args, context): Promise<Answer> => {
  const { directory, name, type } = addressedBy(context);
  const plan = await runPlanning(planSet(indexOf(type), args, sceneOf(context)), context);
  const work = async (transaction: DirectoryTransaction): Promise<Answer> => {
    const run = new AdminSetRun({ plan, context, transaction });
    const response = await run.apply(args.ifInState);
    return context.admit(response, { createdIds: run.createdIds });
  };
  return directory.change(name, context.request.principal, work).catch(refuseEnded);
};

/** The actor's role may have gone since the request began. */
function refuseEnded(error: unknown): never {
  if (error instanceof RefusedError) throw new MethodError('forbidden', error.message);
  throw error;
}
