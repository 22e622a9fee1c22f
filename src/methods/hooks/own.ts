import type { OwnMethod } from '../../capability/hooks.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Snapshot, Transaction } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { complaintsOf, sentence } from '../issues.js';
import { UnitOfWork } from '../work/unit.js';
import type { HookReach } from './port.js';

/**
 * Runs a method that a hook file implements: in a transaction that it shares with nobody where it
 * writes, in a snapshot where it reads. Its response is held to the schema that the descriptor
 * declares before anything is on disk.
 */
export async function ownMethod(name: string, args: object, context: CallContext): Promise<object> {
  const body = context.services.registry.ownMethods.get(name);
  if (body === undefined) throw new Error(`No hook file implements ${name}.`);
  const { store } = context.services;
  const read = (snapshot: Snapshot | null): Promise<object> =>
    runBody(body, args, context, { snapshot, unit: null });
  const write = async (transaction: Transaction): Promise<object> => {
    const unit = new UnitOfWork(transaction);
    const response = await runBody(body, args, context, { snapshot: transaction, unit });
    await unit.record();
    return response;
  };
  switch (context.method.account) {
    case 'none':
      return read(null);
    case 'read':
      return store.read(accountOf(context).id, context, read);
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
  const response = await context.hooks.run(name, reach, further, (call, tx) =>
    body(further, call, tx),
  );
  requireResponse(context, response);
  // Inside the transaction: an answer that can't be given undoes the call.
  context.admit(response);
  return response;
}

function requireResponse(context: CallContext, response: unknown): asserts response is object {
  const { name, validateResponse } = context.method;
  if (typeof response !== 'object' || response === null || Array.isArray(response)) {
    throw new Error(`The hook ${name} gave no object as its response.`);
  }
  if (validateResponse === undefined) return;
  const complaints = complaintsOf(validateResponse, response);
  if (complaints.length === 0) return;
  const what = sentence(complaints.map(({ text }) => text));
  throw new Error(`The response of the hook ${name} is not what its descriptor declares: ${what}`);
}
