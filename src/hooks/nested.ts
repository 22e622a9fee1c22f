import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import type { CallContext, CallHooks } from '../methods/context.js';

/**
 * The context of a `tx.set`: the account, user and time of the call whose hook makes it, but creation
 * ids of its own and no response to send.
 */
export function nestedContext(
  outer: CallContext,
  type: DataTypeDefinition,
  signal: AbortSignal,
  scopeOf: (context: CallContext) => CallHooks,
): CallContext {
  // A hook that is given up has nobody who waits for what its `tx.set` does.
  const isGone = (): boolean => signal.aborted || outer.request.isGone();
  const request = { ...outer.request, isGone, createdIds: new Map<string, string>() };
  const context: Omit<CallContext, 'hooks'> & { hooks: CallHooks | null } = {
    hooks: null,
    services: outer.services,
    request,
    method: methodOf(outer, type),
    account: outer.account,
    deadline: outer.deadline,
    isInternal: true,
    builtIn: (name, args) => outer.builtIn(name, args),
    own: (name, args) => outer.own(name, args),
    startSlices: (isUrgent) => outer.startSlices(isUrgent),
    admit: async () => undefined,
    followWith: () => undefined,
    otherAccount: (accountId) => outer.otherAccount(accountId),
  };
  context.hooks = scopeOf(context);
  return context;
}

/** The type's own /set, or, where it has none on the wire, one that stands for it. */
function methodOf(outer: CallContext, type: DataTypeDefinition): MethodDefinition {
  const name = `${type.name}/set`;
  return (
    outer.services.registry.methods.get(name) ?? {
      ...outer.method,
      name,
      capability: type.capability,
      dataType: type,
    }
  );
}
