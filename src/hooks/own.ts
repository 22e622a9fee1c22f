import type { OwnMethod } from '../capability/hooks.js';
import { accountOf } from '../methods/accounts.js';
import type { CallContext } from '../methods/context.js';
import { UnitOfWork } from '../methods/work/unit.js';
import type { JsonObject } from '../protocol/json.js';
import type { Transaction } from '../store/port.js';
import { ownResponse } from './judge.js';
import { withLateSnapshot } from './late-snapshot.js';
import type { HookReach } from './port.js';
import { scopeOf } from './scope.js';

/**
 * Runs a method that a hook file implements: in a transaction that it shares with nobody where it
 * writes, in a snapshot that it takes when it first reads where it reads. Its response is held to the
 * schema that the descriptor declares before anything is on disk.
 */
export async function ownMethod(name: string, args: object, context: CallContext): Promise<object> {
  const body = context.services.registry.ownMethods.get(name);
  if (body === undefined) throw new Error(`No hook file implements ${name}.`);
  const { store } = context.services;
  const { userId } = context.request.principal;
  const write = async (transaction: Transaction): Promise<object> => {
    scopeOf(context).begin();
    const unit = new UnitOfWork(transaction, userId, context.startSlices(true));
    const response = await runBody(body, args, context, { snapshot: transaction, unit });
    await unit.record();
    return response;
  };
  switch (context.method.account) {
    case 'none':
      return runBody(body, args, context, { snapshot: null, unit: null });
    case 'read':
      return withLateSnapshot(context, (snapshot) =>
        runBody(body, args, context, { snapshot, unit: null }),
      );
    case 'write': {
      const { deadline } = context;
      return store.write(accountOf(context).id, { deadline, exclusive: true }, write);
    }
  }
}

async function runBody(
  body: OwnMethod,
  args: object,
  context: CallContext,
  reach: HookReach,
): Promise<object> {
  const further = args as JsonObject;
  const { name } = context.method;
  const value = await scopeOf(context).run(name, reach, further, (call, tx) =>
    body(further, call, tx),
  );
  const response = ownResponse(name, context.method, value);
  // Inside the transaction: an answer that can't be given undoes the call.
  await context.admit(response);
  return response;
}
