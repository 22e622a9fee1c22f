import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './poll.js';

/** Set by the global setup: the folder of this run, removed at its end. */
export const RUN_FOLDER = 'JMAPSMITH_TEST_RUN';

/** Long enough for a slow machine; nothing measures it. */
const PATIENCE = 280_000;

interface Made<T> {
  readonly value?: T;
  readonly error?: string;
}

/**
 * Makes something once for all files of a run: the first caller makes it in a folder of that name,
 * and the others wait. Returns what `make` returned, as JSON; throws in all callers where it threw.
 */
export async function onceInRun<T>(name: string, make: (folder: string) => Promise<T>): Promise<T> {
  const run = process.env[RUN_FOLDER];
  if (run === undefined) throw new Error('The global setup of the tests did not run.');
  const folder = join(run, name);
  const done = join(run, `${name}.json`);
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    const made = await make(folder).then(
      (value): Made<T> => ({ value }),
      (error: unknown): Made<T> => ({ error: String(error) }),
    );
    // A process that waits finds the file whole or not at all.
    await writeFile(`${done}.draft`, JSON.stringify(made));
    await rename(`${done}.draft`, done);
  }
  const { value, error } = await eventually(
    async () => JSON.parse(await readFile(done, 'utf8')) as Made<T>,
    PATIENCE,
  );
  if (error !== undefined) throw new Error(error);
  return value as T;
}
