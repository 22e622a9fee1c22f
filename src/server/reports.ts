import { readConfig } from './config.js';

/**
 * `jmapsmith/prisma`: the project's Prisma client for reports. It reads beside running servers, and
 * the database itself refuses what writes.
 *
 * ```ts
 * const prisma = await openReportClient(PrismaClient);
 * const paid = await prisma.invoice.count({ where: { paid: true } });
 * await prisma.$disconnect();
 * ```
 */

export interface ReportOptions {
  /** `file:PATH` or `postgresql://...`; DATABASE_URL or the file in DATA_DIR where not given. */
  readonly databaseUrl?: string;
  /**
   * Takes a PostgreSQL role that may write. Its connections begin read-only, which a statement of
   * the client can undo.
   */
  readonly mayWrite?: boolean;
}

/** The class of a generated client, of the database that the server has. */
type ClientClass<Client> = new (options: { readonly adapter: never }) => Client;

/**
 * Opens a client that only reads; `$disconnect` closes it. Rejects with WritingRoleError if a
 * PostgreSQL role may write, and with ConfigError or the driver's error if there is no database.
 */
export async function openReportClient<Client>(
  PrismaClient: ClientClass<Client>,
  { databaseUrl = process.env['DATABASE_URL'], mayWrite = false }: ReportOptions = {},
): Promise<Client> {
  const { DATA_DIR } = process.env;
  const { database } = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR }, process.cwd());
  return new PrismaClient({ adapter: (await adapterOf(database, mayWrite)) as never });
}

/** Returns a driver adapter of Prisma's. Only the driver that is needed is loaded. */
async function adapterOf(
  database: ReturnType<typeof readConfig>['database'],
  mayWrite: boolean,
): Promise<unknown> {
  if (database.kind === 'sqlite') {
    const { reportAdapter } = await import('../database/sqlite/report-prisma.js');
    return reportAdapter(database.file);
  }
  const { reportAdapter } = await import('../database/postgresql/report-prisma.js');
  return reportAdapter(database.url, mayWrite);
}
