import type { Client } from '../client/client.js';
import { asMap } from '../client/json.js';
import type { Session } from './session.js';
import { CORE, OWNER, PRINCIPALS, type User } from './user.js';

/** The principals of a user (RFC 9670). */
export interface Directory {
  readonly accountId: string;
  /** The principal that stands for the user; null where none does. */
  readonly principalId: string | null;
  readonly client: Client;
}

/** Finds the account in which a user finds principals; null where there is none. */
export function findDirectory(user: User, session = user.session): Directory | null {
  const [accountId] = session.listOffering(PRINCIPALS);
  if (accountId === undefined) return null;
  const capabilities = asMap(session.accounts[accountId]?.['accountCapabilities']);
  const { currentUserPrincipalId: id } = asMap(capabilities[PRINCIPALS]);
  const principalId = typeof id === 'string' ? id : null;
  return { accountId, principalId, client: user.buildClient(CORE, PRINCIPALS) };
}

/** The owner of an account, as the session of a user tells it (RFC 9670 1.5.2). */
export interface Owner {
  readonly accountIdForPrincipal: string;
  readonly principalId: string;
}

/** Finds the owner of an account; null where the session tells none. */
export function findOwner(session: Session, accountId: string): Owner | null {
  const capabilities = asMap(session.accounts[accountId]?.['accountCapabilities']);
  if (!Object.hasOwn(capabilities, OWNER)) return null;
  const { accountIdForPrincipal, principalId } = asMap(capabilities[OWNER]);
  return {
    accountIdForPrincipal: String(accountIdForPrincipal),
    principalId: String(principalId),
  };
}
