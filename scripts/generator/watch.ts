import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { EXIT, printError, printLine } from '../cli.js';
import { asUsageError } from './file-errors.js';
import { DESCRIPTOR_FOLDER } from './load/index.js';

/** Editors write a file in several steps. */
const SETTLE = 100;

/**
 * Runs `once` now and whenever a descriptor, a shared file or a hook file changes, until SIGINT or
 * SIGTERM. It shows failures, and the last good output stays, since nothing is written unless
 * everything succeeds.
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
  const watcher = watchFolder(root, () => {
    clearTimeout(timer);
    timer = setTimeout(run, SETTLE);
  });
  // Without a listener it would end the process.
  watcher.on('error', tell);
  run();
  await running;
  printLine(`Watching ${DESCRIPTOR_FOLDER}/. Ctrl-C ends.`);
  await interrupted();
  clearTimeout(timer);
  watcher.close();
  await running;
  return EXIT.fine;
}

function tell(error: unknown): void {
  printError(error instanceof Error ? error.message : String(error));
}

function watchFolder(root: string, changed: () => void): FSWatcher {
  try {
    // The files that descriptors share are in a folder below.
    return watch(join(root, DESCRIPTOR_FOLDER), { recursive: true }, changed);
  } catch (error) {
    throw asUsageError(error, root);
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
