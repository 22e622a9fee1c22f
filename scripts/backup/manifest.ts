import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { AppliedMigration } from '../../src/database/migrations.js';
import { BackupFileError, inWords } from './errors.js';
import type { Progress } from './progress.js';
import { readAll, TarError, TarReader } from './tar.js';

/** The form of the archive that is written, and the only one that is read (docs/operations.md). */
export const FORMAT = 1;

/** The archive's entries, in this order. */
export const NAMES = Object.freeze({
  /** Says what the file is. */
  first: 'jmapsmith-backup.json',
  /** The SQLite database. */
  sqlite: 'database.sqlite',
  /** Tables of PostgreSQL: `database/TABLE.copy`. */
  tables: 'database/',
  /** `blobs/ACCOUNT/BLOB`. */
  blobs: 'blobs/',
  manifest: 'manifest.json',
  /** The manifest's own sum, as sha256sum writes it. */
  sum: 'manifest.sha256',
});

export interface Part {
  readonly name: string;
  readonly octets: number;
  readonly sha256: string;
}

export interface BlobName {
  readonly accountId: string;
  readonly blobId: string;
}

export interface Manifest {
  readonly format: number;
  /** The version that wrote it. */
  readonly jmapsmith: string;
  /** When it was begun: a UTCDate. */
  readonly created: string;
  readonly database: {
    readonly kind: 'sqlite' | 'postgresql';
    readonly migrations: readonly AppliedMigration[];
    readonly parts: readonly Part[];
  };
  readonly blobs: {
    readonly count: number;
    readonly octets: number;
    /** Of all their octets, one blob after the other. */
    readonly sha256: string;
    /** Rows whose octets the blob store did not have, or not as many as it should: the first of them. */
    readonly missing: readonly BlobName[];
    readonly missingCount: number;
  };
  /** All octets of the file before the manifest's entry. */
  readonly contents: { readonly octets: number; readonly sha256: string };
}

export function sumLine(manifest: Uint8Array): Buffer {
  const sum = createHash('sha256').update(manifest).digest('hex');
  return Buffer.from(`${sum}  ${NAMES.manifest}\n`);
}

/**
 * Reads a file from its first to its last octet and gives its manifest. Throws BackupFileError where it is not
 * what `backup` has written.
 */
export async function verify(file: string, progress: Progress): Promise<Manifest> {
  const bad = (reason: string) => new BackupFileError(file, reason);
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw inWords(file, error);
  });
  try {
    const { size } = await handle.stat();
    const reader = new TarReader(handle);
    let first = true;
    let manifest: Buffer | null = null;
    let isWhole = false;
    for await (const entry of reader.entries((name) => name === NAMES.manifest)) {
      if (isWhole) throw bad(`an entry ${entry.name} follows its last one`);
      if (first && entry.name !== NAMES.first) throw bad('it is no backup of jmapsmith');
      if (entry.name === NAMES.first) requireFormat(await readAll(entry.body), bad);
      else if (entry.name === NAMES.manifest) manifest = await readAll(entry.body);
      else if (entry.name === NAMES.sum) {
        if (manifest === null || !(await readAll(entry.body)).equals(sumLine(manifest))) {
          throw bad('its manifest was changed');
        }
        isWhole = true;
      } else for await (const _ of entry.body) progress.at(reader.octets, size);
      first = false;
    }
    if (manifest === null || !isWhole) throw bad('it has no manifest: its backup did not end');
    const parsed = JSON.parse(manifest.toString('utf8')) as Manifest;
    const { octets, sha256 } = parsed.contents;
    if (octets !== reader.before.octets || sha256 !== reader.before.sha256) {
      throw bad('its octets are not those that were written (SHA-256)');
    }
    return parsed;
  } catch (error) {
    if (error instanceof TarError) throw bad(error.message);
    throw inWords(file, error);
  } finally {
    await handle.close();
  }
}

function requireFormat(text: Buffer, bad: (reason: string) => BackupFileError): void {
  const format = /"format":\s*(\d+)/.exec(text.toString('utf8'))?.[1];
  if (format === undefined) throw bad('it is no backup of jmapsmith');
  if (Number(format) !== FORMAT) {
    throw bad(`its format is ${format}, and this version reads ${FORMAT}`);
  }
}
