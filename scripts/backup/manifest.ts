import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { AppliedMigration } from '../../src/database/migrations.js';
import { isId } from '../../src/protocol/ids.js';
import { BackupFileError, inWords } from './errors.js';
import type { Progress } from './progress.js';
import { type Entry, readAll, TarError, TarReader } from './tar.js';

/**
 * The form of the archive that is written, and the only one that is read
 * (docs/reference/operations.md).
 */
export const FORMAT = 1;

/** Octets of the first entry and of the manifest's sum, and of the manifest, at the most. */
const SMALL = 1024;
const LARGE = 64 * 1024 ** 2;

/**
 * The archive's entries, in this order: the first, the database's parts, blobs, manifest and sum.
 */
export const NAMES = Object.freeze({
  /** Says what the file is. */
  first: 'jmapsmith-backup.json',
  /** The SQLite database. */
  sqlite: 'database.sqlite',
  /** Tables of PostgreSQL: `database/TABLE.ndjson`. */
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
    /**
     * Rows whose octets the blob store did not have, or not as many as it should: the first of
     * them.
     */
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
 * Reads a file from its first to its last octet and gives its manifest. Throws BackupFileError
 * where it is not what `backup` has written.
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
    const found: { name: string; octets: number }[] = [];
    for await (const entry of reader.entries((name) => name === NAMES.manifest)) {
      const { name } = entry;
      if (isWhole) throw bad(`an entry ${name} follows its last one`);
      if (first !== (name === NAMES.first)) throw bad('it is no backup of jmapsmith');
      if (first) requireFormat(await readAll(entry, SMALL), bad);
      else if (name === NAMES.manifest && manifest === null) {
        manifest = await readAll(entry, LARGE);
      } else if (name === NAMES.sum) {
        if (manifest === null || !(await readAll(entry, SMALL)).equals(sumLine(manifest))) {
          throw bad('its manifest was changed');
        }
        isWhole = true;
      } else if (manifest !== null || kindOf(entry) === null) {
        throw bad(`no backup has an entry ${JSON.stringify(name)} there`);
      } else {
        if (kindOf(entry) === 'part') found.push({ name, octets: entry.size });
        for await (const _ of entry.body) progress.at(reader.octets, size);
      }
      first = false;
    }
    if (manifest === null || !isWhole) throw bad('it has no manifest: its backup did not end');
    const parsed = parseManifest(manifest);
    if (parsed === null) throw bad('its manifest is none');
    const { octets, sha256 } = parsed.contents;
    if (octets !== reader.before.octets || sha256 !== reader.before.sha256) {
      throw bad('its octets are not those that were written (SHA-256)');
    }
    const described = parsed.database.parts.map((part) => ({
      name: part.name,
      octets: part.octets,
    }));
    if (JSON.stringify(described) !== JSON.stringify(found)) {
      throw bad('its manifest names other parts of the database than it has');
    }
    return parsed;
  } catch (error) {
    if (error instanceof TarError) throw bad(error.message);
    throw inWords(file, error);
  } finally {
    await handle.close();
  }
}

/**
 * Returns the kind of an entry in front of the manifest; null for one that `backup` never writes.
 */
export function kindOf({ name }: Pick<Entry, 'name'>): 'part' | 'blob' | null {
  if (name === NAMES.sqlite) return 'part';
  const [, table] = /^database\/([^/]{1,63})\.ndjson$/.exec(name) ?? [];
  if (table !== undefined) return 'part';
  if (!name.startsWith(NAMES.blobs)) return null;
  const ids = name.slice(NAMES.blobs.length).split('/');
  return ids.length === 2 && ids.every(isId) ? 'blob' : null;
}

/** Null where it is not in the form that this version writes. */
function parseManifest(text: Buffer): Manifest | null {
  try {
    const manifest = JSON.parse(text.toString('utf8')) as Manifest;
    const { database, blobs, contents } = manifest;
    const isWhole =
      ['sqlite', 'postgresql'].includes(database.kind) &&
      database.migrations.every(({ name, checksum }) => isText(name) && isText(checksum)) &&
      database.parts.every(({ name, sha256 }) => isText(name) && isText(sha256)) &&
      [blobs.count, blobs.octets, blobs.missingCount, contents.octets].every(
        Number.isSafeInteger,
      ) &&
      isText(contents.sha256);
    return isWhole ? manifest : null;
  } catch (error) {
    // A member that is not there, or no JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function requireFormat(text: Buffer, bad: (reason: string) => BackupFileError): void {
  const format = /"format":\s*(\d+)/.exec(text.toString('utf8'))?.[1];
  if (format === undefined) throw bad('it is no backup of jmapsmith');
  if (Number(format) !== FORMAT) {
    throw bad(`its format is ${format}, and this version reads ${FORMAT}`);
  }
}
