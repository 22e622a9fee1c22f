import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import type { PostgresqlServer } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';

/** A migrated database of either kind, as a command has it. */
export interface OpenedDatabase {
  readonly prisma: PrismaClient;
  close(): Promise<void>;
}

export type DatabaseKind = 'SQLite' | 'PostgreSQL';

export const KINDS: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];

let databases = 0;

/** Opens a new database. `name` begins its name on PostgreSQL. */
export async function openKind(
  kind: DatabaseKind,
  server: () => PostgresqlServer,
  name: string,
): Promise<OpenedDatabase> {
  if (kind === 'SQLite') return openTestDatabase();
  databases += 1;
  const url = await server().createDatabase(`${name}${databases}`);
  const pool = openPool({ url, size: 3 });
  await migrate(pool, 'prisma/postgresql/migrations');
  const prisma = openPrisma(pool);
  return {
    prisma,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
