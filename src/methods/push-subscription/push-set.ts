import type {
  PushSubscriptionSetArguments,
  PushSubscriptionSetResponse,
} from '../../../generated/core/methods.js';
import { PushTokenError, type PushTransaction } from '../../accounts/push-port.js';
import type { SetArguments } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type { Answer, CallContext } from '../context.js';
import { planSet } from '../set/plan-set.js';
import { runPlanning, sceneOf } from '../set/set.js';
import { indexOf } from '../type-index.js';
import { planCreates } from './plan-creates.js';
import { PushSetRun } from './push-set-run.js';
import { pushOf } from './subscription-type.js';

/**
 * Answers PushSubscription/set (RFC 8620 7.2.2): a /set without an account and without states. Its
 * one transaction is on the token's subscriptions. The pusher hears of it after the commit.
 */
export async function pushSubscriptionSet(
  args: PushSubscriptionSetArguments,
  context: CallContext,
): Promise<Answer> {
  const { push, type } = pushOf(context);
  const { principal } = context.request;
  // Any value passes the validator of the arguments: the plan judges each object for itself.
  const plan = await runPlanning(
    planSet(indexOf(type), args as Omit<SetArguments, 'accountId'>, sceneOf(context)),
    context,
  );
  const creates = await planCreates(plan, context);
  const work = async (transaction: PushTransaction) => {
    const run = new PushSetRun({ plan, creates, context, transaction });
    const response: PushSubscriptionSetResponse = await run.apply();
    const answer = await context.admit(response, { createdIds: run.createdIds });
    return { answer, run };
  };
  const counts = creates.some(({ error }) => error === null);
  const { answer, run } = await push.rows.change(principal, counts, work).catch(refuseEnded);
  run.tell(push.pusher);
  return answer;
}

function refuseEnded(error: unknown): never {
  if (error instanceof PushTokenError) throw new MethodError('forbidden', error.message);
  throw error;
}
