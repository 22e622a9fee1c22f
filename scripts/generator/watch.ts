import { watch } from 'node:fs';
import { join } from 'node:path';
import { EXIT, printError, printLine } from '../cli.js';
import { DESCRIPTOR_FOLDER } from './load/index.js';

/** Editors write a file in several steps. */
const SETTLE = 100;

/**
 * Runs `once` now and whenever a descriptor changes, until SIGINT or SIGTERM. What fails is shown,
 * and the last good output stays, since nothing is written unless everything succeeds.
 */
export async function watchDescriptors(root: string, once: () => Promise<number>): Promise<number> {
  let running = Promise.resolve();
  const run = () => {
    running = running.then(once).then(
      () => undefined,
      (error: unknown) => {
        printError(error instanceof Error ? error.message : String(error));
      },
    );
  };
  run();
  await running;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(join(root, DESCRIPTOR_FOLDER), () => {
    clearTimeout(timer);
    timer = setTimeout(run, SETTLE);
  });
  printLine(`Watching ${DESCRIPTOR_FOLDER}/. Ctrl-C ends.`);
  await interrupted();
  clearTimeout(timer);
  watcher.close();
  await running;
  return EXIT.fine;
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
