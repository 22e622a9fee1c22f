import { onTestFinished } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import type { usePostgresql } from '../support/postgresql.js';
import { openTestDatabase } from './database.js';

let databases = 0;

/** Returns one new database as two servers have it. It lasts as long as the test. */
export async function openForTwo(
  engine: string,
  postgresql: ReturnType<typeof usePostgresql>,
): Promise<readonly [PrismaClient, PrismaClient]> {
  if (engine === 'SQLite') {
    const database = openTestDatabase();
    const other = openPrismaStandalone(database.file);
    onTestFinished(async () => {
      await other.$disconnect();
      await database.close();
    });
    return [database.prisma, other];
  }
  databases += 1;
  const url = await postgresql().createDatabase(`for_two_${process.pid}_${databases}`);
  const open = (): PrismaClient => {
    const pool = openPool({ url, size: 3 });
    const prisma = openPrisma(pool);
    onTestFinished(async () => {
      await prisma.$disconnect();
      await pool.end();
    });
    return prisma;
  };
  const pool = openPool({ url, size: 1 });
  await migrate(pool, 'prisma/postgresql/migrations');
  await pool.end();
  return [open(), open()];
}
