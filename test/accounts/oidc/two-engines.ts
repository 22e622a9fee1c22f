import { onTestFinished } from 'vitest';
import { migrate, openPool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import type { PrismaClient } from '../../../src/database/sqlite/prisma.js';
import type { PostgresqlServer } from '../../support/postgresql.js';
import { openTestDatabase } from '../database.js';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;

/** A migrated database of the engine. It is closed with the test. */
export async function openEngineDatabase(
  engine: (typeof ENGINES)[number],
  postgresql: () => PostgresqlServer,
): Promise<PrismaClient> {
  if (engine === 'SQLite') {
    const database = openTestDatabase();
    onTestFinished(() => database.close());
    return database.prisma;
  }
  const pool = openPool({ url: await postgresql().createDatabase('oidc'), size: 2 });
  await migrate(pool, 'prisma/postgresql/migrations');
  const prisma = openPrisma(pool);
  onTestFinished(async () => {
    await prisma.$disconnect();
    await pool.end();
  });
  return prisma;
}
