import type { OwnMethod } from '../capability/hooks.js';
import { accountOf } from '../methods/accounts.js';
import type { Answer } from '../methods/context.js';
import { UnitOfWork } from '../methods/work/unit.js';
import type { JsonObject } from '../protocol/json.js';
import { runInSlices } from '../runtime/slices.js';
import { ownResponse } from './judge.js';
import type { HookScope, Reads } from './scope.js';
import { frozenCopy } from './walks.js';

/**
 * Runs a method that a hook file implements: in a transaction that it shares with nobody where it
 * writes. Its response is held to the schema that the descriptor declares before anything is on disk.
 */
export async function runOwnMethod(
  scope: HookScope,
  body: OwnMethod,
  args: JsonObject,
): Promise<Answer> {
  const { context } = scope;
  const { name, account } = context.method;
  const offered = await runInSlices(frozenCopy(args), context.startSlices());
  scope.giveArguments(offered as JsonObject);
  const run = async (reads: Reads, unit: UnitOfWork | null): Promise<Answer> => {
    const value = await scope.run(name, reads, (call, tx) => body(args, call, tx), unit);
    const response = ownResponse(name, context.method, value);
    // Inside the transaction: an answer that can't be given undoes the call.
    return context.admit(response);
  };
  if (account !== 'write') return run(account, null);
  const { services, deadline, request } = context;
  const options = { deadline, exclusive: true };
  return services.store.write(accountOf(context).id, options, async (transaction) => {
    scope.begin();
    const { userId } = request.principal;
    const unit = new UnitOfWork(transaction, userId, context.startSlices(true));
    const answer = await run(transaction, unit);
    await unit.record();
    return answer;
  });
}
