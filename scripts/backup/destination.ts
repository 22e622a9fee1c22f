import type { Config } from '../../src/config.js';
import type { Manifest } from './manifest.js';
import { toSqlite } from './to-sqlite.js';

/** An empty place that a database is restored to. An SQLite file appears with `publish`, never before. */
export interface Destination {
  /** What is there already, for a person to read. */
  occupied(): Promise<readonly string[]>;
  /** Takes a part of the database. */
  take(name: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * All parts are there: looks at them, brings the database up to date and has all states that clients may hold
   * refused (D9). `tables` are those of the registered types. Resolves to the migrations that were applied.
   */
  complete(tables: readonly string[]): Promise<readonly string[]>;
  /** Makes it the database, on disk when this resolves. */
  publish(): Promise<void>;
  /** Where it is, for a person to read. */
  readonly place: string;
  /** Removes what was not published; gives back what keeps others away. */
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
