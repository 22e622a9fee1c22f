import type { AppliedMigration } from '../../src/database/migrations.js';
import type { Manifest } from './manifest.js';

/** A file that a part of the database was copied to, there until the next one is asked for. */
export interface PartFile {
  /** The archive's entry. */
  readonly name: string;
  readonly file: string;
}

export interface BlobRow {
  readonly accountId: string;
  readonly id: string;
  readonly size: number;
}

/** One state of a database, whatever is written to it meanwhile. */
export interface DatabaseSource {
  readonly kind: Manifest['database']['kind'];
  readonly migrations: readonly AppliedMigration[];
  /** Part after part. */
  parts(): AsyncIterable<PartFile>;
  /** How many blobs there are, and their octets. */
  readonly blobs: { readonly count: number; readonly octets: number };
  /** The rows behind one in order of their keys, at most `limit`. */
  blobsAfter(last: BlobRow | null, limit: number): Promise<readonly BlobRow[]>;
  close(): Promise<void>;
}
