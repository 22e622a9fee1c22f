import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { NO_OWNER } from '../capability/principal-names.js';
import { DELETION, deletionKey } from './change.js';
import { capabilityList } from './directory.js';
import type { LivingAccounts } from './principal.js';

/** Returns the accounts of a database, without those that are being deleted. */
export function livingAccounts(prisma: PrismaClient): LivingAccounts {
  return {
    async find(id) {
      const [row, deletions] = await Promise.all([
        prisma.jmapAccount.findUnique({ where: { id } }),
        prisma.jmapMeta.count({ where: { key: deletionKey(id) } }),
      ]);
      if (row === null || row.ownerId === NO_OWNER || deletions > 0) return null;
      const { name, ownerId, capabilities } = row;
      return { id, name, ownerId, capabilities: capabilityList(capabilities) };
    },
    async list() {
      const [rows, notes] = await Promise.all([
        prisma.jmapAccount.findMany({
          ...{ where: { ownerId: { not: NO_OWNER } }, select: { id: true } },
          orderBy: { id: 'asc' },
        }),
        prisma.jmapMeta.findMany({
          where: { key: { startsWith: DELETION } },
          select: { key: true },
        }),
      ]);
      const deleted = new Set(notes.map(({ key }) => key.slice(DELETION.length)));
      return rows.map(({ id }) => id).filter((id) => !deleted.has(id));
    },
  };
}
