import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { BlobStore } from '../../src/blobs/blob-store.js';
import { syncFolder } from '../../src/blobs/filesystem.js';
import { UsageError } from '../cli.js';
import { withOctets } from './blobs.js';
import { type BlobName, FORMAT, type Manifest, NAMES, type Part, sumLine } from './manifest.js';
import type { Progress } from './progress.js';
import type { BlobRow, DatabaseSource } from './source.js';
import { TarWriter } from './tar.js';

/** Blobs without their octets that are named; the others are counted. */
const NAMED = 100;
const ROWS = 1000;

export interface Archive {
  readonly source: DatabaseSource;
  readonly blobs: BlobStore;
  /** Where it is written until it is whole. */
  readonly partial: string;
  readonly jmapsmith: string;
  readonly created: Date;
  readonly progress: Progress;
  /** Called between parts. */
  readonly alive: () => Promise<void>;
}

/** Writes an archive to `partial`, on disk when this resolves to its manifest. */
export async function writeArchive(archive: Archive): Promise<Manifest> {
  const { source, partial, created } = archive;
  const handle = await open(partial, 'wx', 0o600);
  try {
    const tar = new TarWriter(handle, created.getTime());
    const whole = (name: string, text: string | Buffer) => {
      const octets = Buffer.from(text);
      return tar.add(name, octets.byteLength, [octets]);
    };
    await whole(NAMES.first, `${JSON.stringify({ format: FORMAT })}\n`);
    const parts: Part[] = [];
    for await (const { name, file } of source.parts()) {
      const { size } = await stat(file);
      const sha256 = await tar.add(name, size, createReadStream(file));
      parts.push({ name, octets: size, sha256 });
      await archive.alive();
    }
    const blobs = await addBlobs(archive, tar);
    const contents = { octets: tar.octets, sha256: tar.digest() };
    const database = { kind: source.kind, migrations: source.migrations, parts };
    const { jmapsmith } = archive;
    const manifest: Manifest = {
      ...{ format: FORMAT, jmapsmith, created: created.toISOString() },
      ...{ database, blobs, contents },
    };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await whole(NAMES.manifest, text);
    await whole(NAMES.sum, sumLine(text));
    await tar.end();
    return manifest;
  } finally {
    await handle.close();
  }
}

async function addBlobs(archive: Archive, tar: TarWriter): Promise<Manifest['blobs']> {
  const { source, progress } = archive;
  const missing: BlobName[] = [];
  const hash = createHash('sha256');
  let count = 0;
  let octets = 0;
  let missingCount = 0;
  for await (const [row, found] of withOctets(archive.blobs, rowsOf(source))) {
    await archive.alive();
    const { accountId, id, size } = row;
    if (found === null) {
      missingCount += 1;
      if (missing.length < NAMED) missing.push({ accountId, blobId: id });
      continue;
    }
    const body = Buffer.isBuffer(found) ? [found] : found;
    await tar.add(`${NAMES.blobs}${accountId}/${id}`, size, body, hash);
    count += 1;
    octets += size;
    progress.at(octets, source.blobs.octets);
  }
  return { count, octets, sha256: hash.digest('hex'), missing, missingCount };
}

async function* rowsOf(source: DatabaseSource): AsyncGenerator<BlobRow> {
  let last: BlobRow | null = null;
  for (;;) {
    const rows: readonly BlobRow[] = await source.blobsAfter(last, ROWS);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

/** Gives a finished archive its name. */
export async function place(partial: string, file: string, force: boolean): Promise<void> {
  requireFree(file, force);
  await rename(partial, file);
  await syncFolder(dirname(file));
}

export function requireFree(file: string, force: boolean): void {
  if (!existsSync(dirname(file))) {
    throw new UsageError(`There is no folder ${dirname(file)} for ${basename(file)}.`);
  }
  if (existsSync(file) && !force) {
    throw new UsageError(`${file} is there already: name another file, or add --force.`);
  }
}
