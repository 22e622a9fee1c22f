import type { OwnMethod } from '../../capability/hooks.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Snapshot } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { complaintsOf, sentence } from '../issues.js';

/**
 * Runs a method that a hook file implements: in a transaction that it shares with nobody where it
 * writes, in a snapshot where it reads. Its response is held to the schema that the descriptor
 * declares before anything is on disk.
 */
export async function ownMethod(name: string, args: object, context: CallContext): Promise<object> {
  const body = context.services.registry.ownMethods.get(name);
  if (body === undefined) throw new Error(`No hook file implements ${name}.`);
  const { store } = context.services;
  const run = (snapshot: Snapshot | null): Promise<object> =>
    runBody(body, args, context, snapshot);
  switch (context.method.account) {
    case 'none':
      return run(null);
    case 'read':
      return store.read(accountOf(context).id, context, run);
    case 'write': {
      const { deadline } = context;
      return store.write(accountOf(context).id, { deadline, exclusive: true }, run);
    }
  }
}

async function runBody(
  body: OwnMethod,
  args: object,
  context: CallContext,
  snapshot: Snapshot | null,
): Promise<object> {
  context.hooks.begin();
  const further = args as JsonObject;
  const { name } = context.method;
  const response = await context.hooks.run(name, snapshot, further, (call, tx) =>
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
