import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { MethodError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { accountHas } from '../protocol/session.js';
import type { CallContext } from './context.js';
import { findMethodMode } from './judge-reach.js';
import type { Registry } from './registry.js';

/** Returns the capability that an account must have for the method. */
function accountCapability(method: MethodDefinition): string {
  return method.accountCapability ?? method.capability;
}

/**
 * Returns the account of `accountId` (RFC 8620 3.6.2) for a method that has one. An account that
 * doesn't exist and one that the user can't reach get the same answer. It is read-only where the
 * principal may only read by the method.
 */
export function resolveAccount(
  method: MethodDefinition,
  args: JsonObject,
  principal: Principal,
  registry: Registry,
): AccountAccess {
  const accountId = args['accountId'];
  const account = typeof accountId === 'string' ? principal.accounts.get(accountId) : undefined;
  if (account === undefined) {
    throw new MethodError('accountNotFound', 'No account with this "accountId" is within reach.');
  }
  const mode = findMethodMode(principal, method, registry);
  if (mode === null || !accountHas(account, accountCapability(method))) {
    throw new MethodError(
      'accountNotSupportedByMethod',
      `The account does not offer ${accountCapability(method)}, which ${method.name} needs.`,
    );
  }
  // A hook file does as it likes with the account: that is for those who have all of it.
  if (account.isShared === true && method.body === 'hookFile') {
    throw new MethodError(
      'accountNotSupportedByMethod',
      `Objects of the account are shared with you. ${method.name} needs access to all of it.`,
    );
  }
  // Even where there would be nothing to do.
  if (method.account === 'write' && account.isReadOnly) {
    throw new MethodError('accountReadOnly', 'The account can only be read.');
  }
  if (mode === 'full') return account;
  if (method.account === 'write') {
    throw new MethodError('accountReadOnly', `The token may only read what ${method.name} writes.`);
  }
  return account.isReadOnly ? account : { ...account, isReadOnly: true };
}

/** Returns the type of a standard method that is called. */
export function typeOf({ method }: Pick<CallContext, 'method'>): DataTypeDefinition {
  if (method.dataType !== undefined) return method.dataType;
  throw new Error(`The definition of ${method.name} gives it no type.`);
}

/** Returns the account of a call whose method's definition says that it has one. */
export function accountOf(context: Pick<CallContext, 'account' | 'method'>): AccountAccess {
  if (context.account === undefined) {
    throw new Error(`The definition of ${context.method.name} gives it no account.`);
  }
  return context.account;
}

/**
 * Returns the source account of a copy, which must differ from the target (5.4). Throws
 * `unsupported` where it lacks the method's capability.
 */
export function sourceAccount(
  fromAccountId: string,
  context: CallContext,
  unsupported: 'accountNotSupportedByMethod' | 'fromAccountNotSupportedByMethod',
): AccountAccess {
  if (fromAccountId === accountOf(context).id) {
    throw new MethodError(
      'invalidArguments',
      '"fromAccountId" and "accountId" must be different accounts.',
    );
  }
  const account = context.otherAccount(fromAccountId);
  if (account === undefined) {
    throw new MethodError(
      'fromAccountNotFound',
      'No account with this "fromAccountId" is within reach.',
    );
  }
  const capability = accountCapability(context.method);
  if (accountHas(account, capability)) return account;
  throw new MethodError(
    unsupported,
    `The account of "fromAccountId" does not offer ${capability}.`,
  );
}
