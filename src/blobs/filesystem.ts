import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import {
  chmod,
  copyFile,
  type FileHandle,
  link,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { UnavailableError } from '../protocol/errors.js';
import { isId } from '../protocol/ids.js';
import { DurableFolders, syncFolder } from './durable-folders.js';
import {
  BlobMissingError,
  type BlobPlace,
  BlobTooLargeError,
  type ClearableBlobStore,
  type KeptBlob,
  type OctetRange,
} from './port.js';

/** Age in ms at which a temporary file must be one that a crashed process left. */
const ABANDONED_AFTER = 3600 * 1000;

/** What `link` says on file systems without hard links, or where a file has as many as it can. */
const NO_LINK = new Set(['EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV']);

/** What a full or failing disk says, or a process with too many open files: it may pass. */
const NO_ROOM = new Set([
  ...['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'],
  // An operator's mistake, and for an operator to mend.
  ...['EACCES', 'EPERM'],
]);

/**
 * Keeps blobs as files: `<folder>/<accountId>/<last 2 characters of the id>/<blobId>`. The last two because ids
 * begin with their time: so the files of an account spread evenly. A file appears under its name when it is
 * whole and on disk, never before. Makes the folder, and sweeps what crashed processes left in it.
 * Throws what the system says where it can't write there.
 */
export function createFilesystemBlobStore(folder: string): ClearableBlobStore {
  // Inside the folder, so that a rename never crosses file systems; a dot is in no id.
  const temporaryFolder = join(folder, '.incoming');
  mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 });
  for (const each of [folder, temporaryFolder]) accessSync(each, constants.W_OK | constants.X_OK);
  sweep(temporaryFolder);
  return new FilesystemBlobStore(folder, temporaryFolder);
}

class FilesystemBlobStore implements ClearableBlobStore {
  readonly #folder: string;
  readonly #temporaryFolder: string;
  readonly #folders: DurableFolders;

  constructor(folder: string, temporaryFolder: string) {
    this.#folder = folder;
    this.#temporaryFolder = temporaryFolder;
    this.#folders = new DurableFolders(folder);
  }

  async write(
    accountId: string,
    blobId: string,
    source: Readable,
    maxSize: number,
  ): Promise<{ readonly size: number }> {
    // Whoever reads a failed source is told by its iterator; the event must not end the process before that.
    source.on('error', noted);
    const target = this.#legalPath(accountId, blobId);
    const size = await this.#place(target, (temporary) => receive(temporary, source, maxSize));
    return { size };
  }

  async read(accountId: string, blobId: string, range?: OctetRange): Promise<Readable> {
    const path = this.#pathOf(accountId, blobId);
    if (path === null) throw missing(accountId, blobId);
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? missing(accountId, blobId) : error;
    });
    if (range === undefined) return handle.createReadStream();
    if (range.end <= range.start) {
      await handle.close();
      return Readable.from([]);
    }
    return handle.createReadStream({ start: range.start, end: range.end - 1 });
  }

  async copy(from: BlobPlace, to: BlobPlace): Promise<void> {
    const source = this.#pathOf(from.accountId, from.blobId);
    const target = this.#legalPath(to.accountId, to.blobId);
    if (source === null) throw missing(from.accountId, from.blobId);
    const placed = this.#place(target, (temporary) => duplicate(source, temporary));
    await placed.catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? missing(from.accountId, from.blobId) : error;
    });
  }

  async delete(accountId: string, blobId: string): Promise<void> {
    const path = this.#pathOf(accountId, blobId);
    if (path !== null) await rm(path, { force: true });
  }

  list(): AsyncIterable<KeptBlob> {
    return listFiles(this.#folder);
  }

  async deleteAccount(accountId: string): Promise<void> {
    if (!isId(accountId)) return;
    const path = join(this.#folder, accountId);
    this.#folders.forget(path);
    await rm(path, { recursive: true, force: true });
  }

  #pathOf(accountId: string, blobId: string): string | null {
    if (!isId(accountId) || !isId(blobId)) return null;
    return join(this.#folder, accountId, blobId.slice(-2), blobId);
  }

  #legalPath(accountId: string, blobId: string): string {
    const path = this.#pathOf(accountId, blobId);
    if (path === null) throw new TypeError('An account id or blob id is no Id (RFC 8620 1.2).');
    return path;
  }

  /** Gives `fill` a temporary path and moves what it made there to `target`; leaves nothing where it fails. */
  async #place<T>(target: string, fill: (path: string) => Promise<T>): Promise<T> {
    const temporary = join(this.#temporaryFolder, randomUUID());
    try {
      const result = await fill(temporary);
      await moveInto(this.#folders, temporary, target);
      return result;
    } catch (error) {
      if (!NO_ROOM.has(codeOf(error) ?? '')) throw error;
      throw new UnavailableError(`The blob store can't write (${codeOf(error)}).`, {
        cause: error,
      });
    } finally {
      // Gone after a rename, but for one case: renaming one link of a file over another does nothing.
      await rm(temporary, { force: true });
    }
  }
}

/** Streams `source` into a new file that is on disk when this resolves to its size. */
async function receive(path: string, source: Readable, maxSize: number): Promise<number> {
  const handle = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    // The source stays open where it is too large: it may be a request whose connection carries the answer.
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      const octets: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += octets.byteLength;
      if (size > maxSize) throw new BlobTooLargeError(`The blob has more than ${maxSize} octets.`);
      await writeAll(handle, octets);
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, octets: Uint8Array): Promise<void> {
  for (let done = 0; done < octets.byteLength; ) {
    done += (await handle.write(octets, done)).bytesWritten;
  }
}

/** A second name for a file's octets, or a copy of them where the file system has no second names. */
async function duplicate(source: string, path: string): Promise<void> {
  try {
    await link(source, path);
  } catch (error) {
    if (!NO_LINK.has(codeOf(error) ?? '')) throw error;
    await copyFile(source, path, constants.COPYFILE_FICLONE);
    await chmod(path, 0o600);
    const handle = await open(path, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** Gives a finished file its name, and has the folder on disk (decision 23: before the blob's row commits). */
async function moveInto(folders: DurableFolders, temporary: string, target: string): Promise<void> {
  const folder = dirname(target);
  await folders.make(folder);
  try {
    await rename(temporary, target);
  } catch (error) {
    // Another process (the account command) may have removed a folder that this one has made.
    if (codeOf(error) !== 'ENOENT') throw error;
    folders.forget(dirname(folder));
    await folders.make(folder);
    await rename(temporary, target);
  }
  await syncFolder(folder);
}

async function* listFiles(folder: string): AsyncGenerator<KeptBlob> {
  for (const accountId of await namesIn(folder)) {
    if (!isId(accountId)) continue;
    for (const part of await namesIn(join(folder, accountId))) {
      for (const blobId of await namesIn(join(folder, accountId, part))) {
        const path = join(folder, accountId, part, blobId);
        const found = await stat(path).catch(unlessMissing);
        // A second link keeps the time of its octets; the time of the change of its names is ours.
        if (found?.isFile()) yield { accountId, blobId, since: found.ctimeMs };
      }
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? [];
}

/** What was there a moment ago may be gone, or be no folder. */
function unlessMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  return undefined;
}

/** Every write touches its temporary file, so an old one is nobody's. */
function sweep(temporaryFolder: string): void {
  const before = Date.now() - ABANDONED_AFTER;
  for (const name of readdirSync(temporaryFolder)) {
    const path = join(temporaryFolder, name);
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && modified < before) rmSync(path, { force: true });
  }
}

function missing(accountId: string, blobId: string): BlobMissingError {
  return new BlobMissingError(`Account ${accountId} has no octets of a blob ${blobId}.`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function noted(): undefined {
  return undefined;
}
