import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import { tokenCredential } from '../../src/accounts/token-text.js';

/** Returns who comes by a token of ours that nothing narrows. */
export function tokenPrincipal(
  userId: string,
  tokenId: string,
  accounts: ReadonlyMap<string, AccountAccess> = new Map(),
  expires: number | null = null,
): Principal {
  const credential = tokenCredential(tokenId);
  const narrowing = { roles: [], capabilities: null, types: null };
  return { userId, username: userId, credential, expires, accounts, ...narrowing };
}
