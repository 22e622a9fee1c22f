import type { Config } from '../../src/server/config.js';
import type { Manifest } from './manifest.js';
import { toSqlite } from './to-sqlite.js';

/** The state of the place that a restore writes to. */
export interface Claim {
  /** Tables or files in the way, for a person to read; empty where the place is free. */
  readonly occupied: readonly string[];
  /** A restore to this database and these blobs was cut short: what it left is written over. */
  readonly resumes: boolean;
}

/**
 * An empty place that a database is restored to. From the first row to `publish` it is marked as
 * unfinished: no server or command opens it (src/database/restoring.ts), another restore may go on
 * there.
 */
export interface Destination {
  /**
   * Keeps others away, and says what is there. `blobs`: where blobs go, as the environment names
   * it.
   */
  claim(blobs: string): Promise<Claim>;
  /** Takes a part of the database. */
  take(name: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * All parts are there: looks at them, brings the database up to date and has all states that
   * clients may hold refused (docs/reference/protocol.md#reset-states). `tables` are those of the
   * registered types. Resolves to the migrations that were applied.
   */
  complete(tables: readonly string[]): Promise<readonly string[]>;
  /** Makes it the database, on disk when this resolves. */
  publish(): Promise<void>;
  /** Where it is, for a person to read. */
  readonly place: string;
  /** Tables of the backup that are none of jmapsmith's: they are left out. */
  readonly leftOut: readonly string[];
  /**
   * Removes what was not published, but for the mark of an earlier restore, whose blobs may be
   * there yet; gives back what keeps others away.
   */
  close(): Promise<void>;
}

export async function openDestination(
  database: Config['database'],
  folder: string,
  manifest: Manifest,
): Promise<Destination> {
  if (database.kind === 'postgresql') {
    const { toPostgresql } = await import('./to-postgresql.js');
    return toPostgresql(database.url, folder, manifest);
  }
  return toSqlite(database.file, folder);
}
