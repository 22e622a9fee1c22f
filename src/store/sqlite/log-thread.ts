import type { Database } from 'better-sqlite3';
import type { Writer } from '../../database/sqlite/writer.js';
import { Backlog } from './backlog.js';
import type { Scans } from './scans/index.js';

/** How long what needs the writer's lock waits for it, ms. */
const WAIT = 5000;

/** The connection that writes, and what waits for it. */
export interface Written {
  readonly writer: Writer;
  readonly db: Database;
}

/** From now on commits leave the log to a thread: 90 MB would take one of them 300 ms. */
export function openBacklog({ writer, db }: Written, scans: Scans): Backlog {
  db.pragma('wal_autocheckpoint = 0');
  const pages = db
    .prepare<[], readonly [number, number, number]>('PRAGMA wal_checkpoint(NOOP)')
    .raw(true);
  const isFree = (): boolean => db.open && !db.inTransaction;
  const passive = () => scans.checkpoint('PASSIVE');
  const backlog = new Backlog({
    pages: () => {
      if (!isFree()) return null;
      const [, log, moved] = pages.get() ?? [0, 0, 0];
      return [log, moved];
    },
    move: passive,
    moveRest: () => writer.exclusive(passive, { deadline: performance.now() + WAIT }),
    moveHere: () => {
      if (isFree()) db.pragma('wal_checkpoint(PASSIVE)');
    },
  });
  // Whoever writes: Prisma's tickets and accounts, too.
  writer.watch((isRefused) => {
    if (isRefused) backlog.refused();
    else backlog.wrote();
  });
  return backlog;
}

/** The writer waits for the last of it: emptying needs its lock. */
export async function emptyLog(
  writer: Writer,
  scans: Scans | null,
  backlog: Backlog | null,
): Promise<void> {
  await backlog?.move();
  await writer.exclusive(
    async (db) => {
      if (scans === null) db.pragma('wal_checkpoint(TRUNCATE)');
      else await scans.checkpoint('TRUNCATE');
    },
    { deadline: performance.now() + WAIT },
  );
}
