import { mkdirSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How many folders are remembered as durable before the memory starts anew. */
const REMEMBERED = 20_000;

/** Forces a folder's entries (files made, renamed or linked in it) onto the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder for this; NTFS journals its entries.
  if (process.platform !== 'win32') await syncFile(folder, 'r');
}

/** Forces a file's octets onto the disk. */
export async function syncFile(path: string, flags = 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes folders below a root so that they survive a power cut, and remembers which it has made. */
export class DurableFolders {
  readonly #root: string;
  /** The topmost folder that had to be made for the root. */
  readonly #topmost: string;
  readonly #made = new Map<string, Promise<void>>();

  /** `root` is made at once, with the folders above it. */
  constructor(root: string) {
    this.#root = root;
    this.#topmost = mkdirSync(root, { recursive: true, mode: 0o700 }) ?? root;
  }

  /**
   * Resolves when `folder`, below the root, is there and its entry and those of its parents are on disk: also
   * where another writer made it a moment ago and may not have synced it yet.
   */
  make(folder: string): Promise<void> {
    const known = this.#made.get(folder);
    if (known !== undefined) return known;
    if (this.#made.size >= REMEMBERED) this.#made.clear();
    const making = this.#make(folder);
    this.#made.set(folder, making);
    // A failure is told to those who wait and is tried again by the next.
    making.catch(() => this.#made.delete(folder));
    return making;
  }

  /** Forgets a folder and those in it: something else removed it. */
  forget(folder: string): void {
    for (const path of this.#made.keys()) {
      if (path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`)) {
        this.#made.delete(path);
      }
    }
  }

  async #make(folder: string): Promise<void> {
    if (folder !== this.#root) {
      await this.make(dirname(folder));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await syncFolder(dirname(folder));
      return;
    }
    for (let at = folder; at.length >= this.#topmost.length; at = dirname(at)) {
      await syncFolder(dirname(at));
    }
  }
}
