import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { capabilityList } from './directory.js';
import type { AccountAccess, Principal } from './principal.js';

/** A token as the database has it, with what it reaches. */
export interface LoadedToken {
  readonly secretHash: Uint8Array;
  readonly principal: Principal;
}

/**
 * Reads a token and what it reaches, or null where it is unknown: five statements however many accounts there
 * are. Access is the user's, narrowed and never widened by the token (decision 3): an account is read-only where
 * the grant, the token or the token's entry for the account says so.
 */
export async function loadPrincipal(
  prisma: PrismaClient,
  tokenId: string,
): Promise<LoadedToken | null> {
  const token = await prisma.jmapToken.findUnique({ where: { id: tokenId } });
  if (token === null) return null;
  const user = await prisma.jmapUser.findUnique({ where: { id: token.userId } });
  if (user === null) return null;

  const modes = new Map<string, boolean>();
  for (const row of await prisma.jmapAccess.findMany({ where: { userId: user.id } })) {
    modes.set(row.accountId, row.readOnly || token.readOnly);
  }
  if (token.scoped) {
    const rows = await prisma.jmapTokenAccount.findMany({ where: { tokenId } });
    const scopes = new Map(rows.map((row) => [row.accountId, row.readOnly]));
    for (const [accountId, readOnly] of modes) {
      const narrowed = scopes.get(accountId);
      if (narrowed === undefined) modes.delete(accountId);
      else modes.set(accountId, readOnly || narrowed);
    }
  }

  const rows = await prisma.jmapAccount.findMany({ where: { id: { in: [...modes.keys()] } } });
  const accounts = rows
    .sort((a, b) => Number(a.created - b.created) || (a.id < b.id ? -1 : 1))
    .map((row): AccountAccess => {
      const capabilities = capabilityList(row.capabilities);
      return Object.freeze({
        id: row.id,
        name: row.name,
        isPersonal: row.ownerId === user.id,
        isReadOnly: modes.get(row.id) ?? true,
        capabilities: capabilities === null ? null : new Set(capabilities),
      });
    });

  const principal: Principal = Object.freeze({
    userId: user.id,
    username: user.name,
    tokenId: token.id,
    expires: token.expires === null ? null : Number(token.expires),
    accounts: new Map(accounts.map((account) => [account.id, account])),
  });
  return { secretHash: token.secretHash, principal };
}

/** Text that is equal for two principals exactly where nothing that they say differs. */
export function fingerprint(principal: Principal): string {
  return JSON.stringify(principal, (_, value: unknown) => {
    if (value instanceof Map) return [...value.values()];
    return value instanceof Set ? [...value] : value;
  });
}
