import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { EXIT, printError, printLine } from '../cli.js';
import { EVOLVE_FOLDER } from './evolve/read.js';
import { asUsageError } from './file-errors.js';
import { DESCRIPTOR_FOLDER } from './load/index.js';

/** Editors write a file in several steps. */
const SETTLE = 100;

/**
 * Runs `once` now and whenever a descriptor, a shared file, a hook file or a conversion changes,
 * until SIGINT or SIGTERM. It shows failures, and the last good output stays, since nothing is
 * written unless everything succeeds.
 */
export async function watchDescriptors(root: string, once: () => Promise<number>): Promise<number> {
  let running = Promise.resolve();
  let waiting = false;
  const run = () => {
    // One that has not begun reads what this one would.
    if (waiting) return;
    waiting = true;
    running = running
      .then(() => {
        waiting = false;
        return once();
      })
      .then(() => undefined, tell);
  };
  let timer: NodeJS.Timeout | undefined;
  // Before the first run: what is saved while that lasts must not go unseen.
  const folders = new Folders(root, () => {
    clearTimeout(timer);
    timer = setTimeout(run, SETTLE);
  });
  clearTimeout(timer);
  run();
  await running;
  printLine(`Watching ${DESCRIPTOR_FOLDER}/. Ctrl-C ends.`);
  await interrupted();
  clearTimeout(timer);
  folders.close();
  await running;
  return EXIT.fine;
}

function tell(error: unknown): void {
  printError(error instanceof Error ? error.message : String(error));
}

/** Watches the folders of descriptors and conversions; the latter may be made later. */
class Folders {
  readonly #root: string;
  readonly #changed: () => void;
  readonly #watchers: FSWatcher[] = [];
  #conversions: FSWatcher | undefined;

  constructor(root: string, changed: () => void) {
    this.#root = root;
    this.#changed = changed;
    try {
      // The files that descriptors share are in a folder below.
      this.#watchers.push(this.#watch(DESCRIPTOR_FOLDER));
      this.#watchers.push(watch(root, (_, name) => name === EVOLVE_FOLDER && this.#look()));
    } catch (error) {
      this.close();
      throw asUsageError(error, root);
    }
    // Without a listener an error would end the process.
    for (const watcher of this.#watchers) watcher.on('error', tell);
    this.#look();
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#conversions?.close();
  }

  /** Begins anew where the folder was made, or made again. */
  #look(): void {
    this.#conversions?.close();
    this.#conversions = undefined;
    this.#changed();
    if (!existsSync(join(this.#root, EVOLVE_FOLDER))) return;
    this.#conversions = this.#watch(EVOLVE_FOLDER).on('error', tell);
  }

  #watch(folder: string): FSWatcher {
    return watch(join(this.#root, folder), { recursive: true }, this.#changed);
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
