import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { UnavailableError } from '../protocol/errors.js';
import { isId } from '../protocol/ids.js';
import {
  BlobMissingError,
  type BlobPlace,
  type BlobStore,
  type KeptBlob,
  type OctetRange,
} from './blob-store.js';
import { IncomingOctets } from './incoming.js';

/** Age in ms at which a temporary file must be one that a crashed process left. */
const ABANDONED_AFTER = 3600 * 1000;

/** How many folders are remembered as durable before the memory starts anew. */
const REMEMBERED = 20_000;

/** Codes of `link` on file systems without hard links, or at the most that a file may have. */
const NO_LINK = new Set(['EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV']);

/** Codes of a full or failing disk, or of too many open files: the failure may pass. */
const NO_ROOM = new Set([
  ...['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'],
  // An operator's mistake, and for an operator to mend.
  ...['EACCES', 'EPERM'],
]);

/**
 * Keeps blobs as files: `<folder>/<accountId>/<last 2 characters of the id>/<blobId>`. Ids begin
 * with their time, so the last characters spread an account's files evenly. A file appears under
 * its name only when it is whole and on disk.
 */
export class FilesystemBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #temporaryFolder: string;
  /** The topmost folder that had to be made for `#folder`. */
  readonly #topmost: string;
  /** Folders whose entries, and those of all folders above them, are known to be on disk. */
  readonly #durable = new Set<string>();

  /**
   * Makes the folder, with those above it, and sweeps out what crashed processes left in it. Throws
   * the error of the system where it can't write there.
   */
  constructor(folder: string) {
    this.#folder = folder;
    // Inside the folder, so that a rename never crosses file systems; a dot is in no id.
    this.#temporaryFolder = join(folder, '.incoming');
    this.#topmost = mkdirSync(folder, { recursive: true, mode: 0o700 }) ?? folder;
    mkdirSync(this.#temporaryFolder, { recursive: true, mode: 0o700 });
    for (const each of [folder, this.#temporaryFolder]) {
      accessSync(each, constants.W_OK | constants.X_OK);
    }
    sweep(this.#temporaryFolder);
  }

  async write(
    accountId: string,
    blobId: string,
    source: Readable,
    maxSize: number,
  ): Promise<{ readonly size: number }> {
    const octets = new IncomingOctets(source, maxSize);
    const target = this.#legalPath({ accountId, blobId });
    const options = { flag: 'wx', mode: 0o600, flush: true };
    await this.#place(target, (temporary) => writeFile(temporary, octets, options));
    return { size: octets.size };
  }

  async read(accountId: string, blobId: string, range?: OctetRange): Promise<Readable> {
    const place = { accountId, blobId };
    const path = this.#pathOf(place);
    if (path === null) throw new BlobMissingError(place);
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? new BlobMissingError(place) : error;
    });
    if (range === undefined) return handle.createReadStream();
    if (range.end <= range.start) {
      await handle.close();
      return Readable.from([]);
    }
    return handle.createReadStream({ start: range.start, end: range.end - 1 });
  }

  async copy(origin: BlobPlace, destination: BlobPlace): Promise<void> {
    const source = this.#pathOf(origin);
    const target = this.#legalPath(destination);
    if (source === null) throw new BlobMissingError(origin);
    const placed = this.#place(target, (temporary) => duplicate(source, temporary));
    await placed.catch((error: unknown) => {
      throw codeOf(error) === 'ENOENT' ? new BlobMissingError(origin) : error;
    });
  }

  async delete(accountId: string, blobId: string): Promise<void> {
    const path = this.#pathOf({ accountId, blobId });
    if (path !== null) await rm(path, { force: true });
  }

  list(): AsyncIterable<KeptBlob> {
    return listFiles(this.#folder);
  }

  async deleteAccount(accountId: string): Promise<void> {
    if (!isId(accountId)) return;
    const path = join(this.#folder, accountId);
    this.#forget(path);
    await rm(path, { recursive: true, force: true });
  }

  #pathOf({ accountId, blobId }: BlobPlace): string | null {
    if (!isId(accountId) || !isId(blobId)) return null;
    return join(this.#folder, accountId, blobId.slice(-2), blobId);
  }

  #legalPath(place: BlobPlace): string {
    const path = this.#pathOf(place);
    if (path === null) throw new TypeError('An account id or blob id is no Id (RFC 8620 1.2).');
    return path;
  }

  /** Gives `fill` a temporary path and moves its file to `target`; a failure leaves nothing. */
  async #place(target: string, fill: (path: string) => Promise<void>): Promise<void> {
    const temporary = join(this.#temporaryFolder, randomUUID());
    try {
      await fill(temporary);
      await this.#move(temporary, target);
    } catch (error) {
      if (!NO_ROOM.has(codeOf(error) ?? '')) throw error;
      throw new UnavailableError(`The blob store can't write (${codeOf(error)}).`, {
        cause: error,
      });
    } finally {
      // A rename leaves none, unless both are links of one file: then it does nothing.
      await rm(temporary, { force: true });
    }
  }

  /** Gives a finished file its name, and has the folder on disk (before the blob's row commits). */
  async #move(temporary: string, target: string): Promise<void> {
    const folder = dirname(target);
    await this.#make(folder);
    try {
      await rename(temporary, target);
    } catch (error) {
      // Another process (the account command) may have removed a folder that this one has made.
      if (codeOf(error) !== 'ENOENT') throw error;
      this.#forget(dirname(folder));
      await this.#make(folder);
      await rename(temporary, target);
    }
    await syncFolder(folder);
  }

  /**
   * Resolves when `folder` is there and its entry and those of its parents are on disk. Another
   * writer may have made it a moment ago and not synced it yet.
   */
  async #make(folder: string): Promise<void> {
    if (this.#durable.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const folders: string[] = [];
    for (let at = folder; at.length >= this.#topmost.length; at = dirname(at)) {
      if (this.#durable.has(at)) break;
      await syncFolder(dirname(at));
      folders.push(at);
    }
    if (this.#durable.size >= REMEMBERED) this.#durable.clear();
    for (const each of folders) this.#durable.add(each);
  }

  /** Forgets a folder and those in it: something removes it, or has removed it. */
  #forget(folder: string): void {
    for (const path of this.#durable) {
      if (path === folder || path.startsWith(folder + sep)) this.#durable.delete(path);
    }
  }
}

/** Forces a folder's entries (files made, renamed or linked in it) onto the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder for this; NTFS journals its entries.
  if (process.platform !== 'win32') await syncFile(folder, 'r');
}

/** Forces a file's octets onto the disk. */
async function syncFile(path: string, flags = 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file's octets a second name, or copies them where the file system has no links. */
async function duplicate(source: string, path: string): Promise<void> {
  try {
    await link(source, path);
  } catch (error) {
    if (!NO_LINK.has(codeOf(error) ?? '')) throw error;
    await copyFile(source, path, constants.COPYFILE_FICLONE);
    await chmod(path, 0o600);
    await syncFile(path);
  }
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

/** Ignores that a name is gone meanwhile, or is no folder; throws every other error. */
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

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
