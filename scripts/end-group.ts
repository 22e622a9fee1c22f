import { scopedTablesIn } from '../src/access/shared-types.js';
import { deleteGroup, existingGroup } from '../src/accounts/index.js';
import type { PrismaClient } from '../src/database/sqlite/prisma.js';
import { unsharePrincipal } from '../src/methods/principals/unshare-principal.js';
import type { Registry } from '../src/methods/registry.js';
import { MethodError } from '../src/protocol/errors.js';
import type { Config } from '../src/server/config.js';
import { openStore } from './open-store.js';

/** How long some objects of one account may take, ms. */
const PATIENCE = 60_000;

/** An account that was deleted meanwhile has no shares. */
function skipGone(error: unknown): void {
  if (!(error instanceof MethodError && error.type === 'accountNotFound')) throw error;
}

/** The project's types, and the database where their objects are. */
export interface GroupPlace {
  readonly registry: Registry;
  readonly database: Config['database'];
}

/**
 * Deletes a group. First no object is shared with it any more, one account after the other: after
 * an interruption, the group is still there, and the command is run again. Throws DirectoryError.
 */
export async function endGroup(
  prisma: PrismaClient,
  { registry, database }: GroupPlace,
  name: string,
): Promise<void> {
  const { dataTypes, relations } = registry;
  const tables = scopedTablesIn(dataTypes, relations.viewRules.sharedTables);
  const { id: principalId } = await existingGroup(prisma, name);
  for (;;) {
    const accountIds = await deleteGroup(prisma, tables, name);
    if (accountIds.length === 0) return;
    const { store, conductor, close } = await openStore(database, registry);
    const options = () => ({ deadline: performance.now() + PATIENCE });
    try {
      for (const accountId of accountIds) {
        const share = { accountId, principalId };
        await unsharePrincipal({ store, conductor, registry }, share, options).catch(skipGone);
      }
    } finally {
      await close();
    }
  }
}
