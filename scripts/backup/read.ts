import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BlobStore } from '../../src/blobs/blob-store.js';
import { AT_ONCE, SMALL } from './blobs.js';
import type { Destination } from './destination.js';
import { BackupFileError } from './errors.js';
import { kindOf, type Manifest, NAMES } from './manifest.js';
import type { Progress } from './progress.js';
import { type Entry, readAll, TarReader } from './tar.js';

export interface Restored {
  /** Migrations that the backup lacked. */
  readonly applied: readonly string[];
}

/**
 * Brings a verified archive back. The database is whole and up to date before the first blob is
 * written, and takes its place after the last. Where it fails, it removes the blobs that it wrote:
 * the place was empty.
 */
export async function readArchive(
  file: string,
  manifest: Manifest,
  to: { readonly database: Destination; readonly blobs: BlobStore },
  options: { readonly tables: readonly string[]; readonly progress: Progress },
): Promise<Restored> {
  const handle = await open(file, 'r');
  const accounts = new Set<string>();
  const sums = new Map(manifest.database.parts.map(({ name, sha256 }) => [name, sha256]));
  const writing = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | null = null;
  let applied: readonly string[] | null = null;
  try {
    const reader = new TarReader(handle);
    for await (const entry of reader.entries((name) => name === NAMES.manifest)) {
      const sum = sums.get(entry.name);
      const kind = kindOf(entry);
      if (sum !== undefined) {
        await to.database.take(entry.name, checked(file, entry, sum));
      } else if (kind === 'blob') {
        applied ??= await to.database.complete(options.tables);
        const { accountId, blobId } = blobOf(entry.name);
        accounts.add(accountId);
        const write = (body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) =>
          to.blobs.write(accountId, blobId, Readable.from(body), entry.size);
        if (entry.size > SMALL) await write(entry.body);
        else {
          const octets = await readAll(entry, SMALL);
          const written: Promise<void> = write([octets])
            .then(noted, (error: unknown) => {
              failure ??= { error };
            })
            .finally(() => writing.delete(written));
          writing.add(written);
          if (writing.size >= AT_ONCE) await Promise.race(writing);
        }
        options.progress.at(reader.octets, manifest.contents.octets);
        rethrow(failure);
      } else {
        for await (const _ of entry.body) rethrow(failure);
        // The file may have been replaced since it was verified.
        if (entry.name === NAMES.manifest && reader.before.sha256 !== manifest.contents.sha256) {
          throw new BackupFileError(file, 'it was changed while it was read');
        }
      }
    }
    await Promise.all(writing);
    rethrow(failure);
    applied ??= await to.database.complete(options.tables);
    await to.database.publish();
    return { applied };
  } catch (error) {
    await Promise.all(writing);
    for (const accountId of accounts) await to.blobs.deleteAccount(accountId);
    throw error;
  } finally {
    await handle.close();
  }
}

function blobOf(name: string): { readonly accountId: string; readonly blobId: string } {
  const [accountId = '', blobId = ''] = name.slice(NAMES.blobs.length).split('/');
  return { accountId, blobId };
}

/** The file may have been replaced since it was verified. */
async function* checked(file: string, entry: Entry, sum: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const octets of entry.body) {
    hash.update(octets);
    yield octets;
  }
  if (hash.digest('hex') !== sum) {
    throw new BackupFileError(file, `${entry.name} is not what was written (SHA-256)`);
  }
}

function rethrow(failure: { readonly error: unknown } | null): void {
  if (failure !== null) throw failure.error;
}

function noted(): undefined {
  return undefined;
}
