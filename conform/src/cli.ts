import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command's exit codes. */
export const EXIT = Object.freeze({
  fine: 0,
  /** A check failed, or the run is not whole. */
  found: 1,
  /** An option, the URL, the credentials or a descriptor is wrong. */
  input: 2,
  /** A defect of the runner. */
  defect: 70,
});

/** The input is wrong: `runCommand` prints the message without a stack and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs the command: answers `--help`, turns a UsageError into exit code 2 and every other error into 70. `main` takes the
 * arguments, returns the exit code, and must close what it opened: the process ends by itself.
 */
export async function runCommand(
  name: string,
  help: string,
  main: (argv: readonly string[]) => Promise<number>,
): Promise<void> {
  // A reader that stops early (`... --list | head -1`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.defect);
  });
  const argv = process.argv.slice(2);
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`);
    return;
  }
  try {
    process.exitCode = await main(argv);
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${name}: ${error.message}`);
      process.exitCode = EXIT.input;
      return;
    }
    printError(`${name}: this is a defect of the runner, please report it.`);
    printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = EXIT.defect;
  }
}

/** Parses options strictly; throws a UsageError where an option is unknown or lacks its value. */
export function parseOptions<T extends ParseArgsConfig>(
  argv: readonly string[],
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs<T>({ ...config, args: [...argv] } as T);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE'))
      throw new UsageError(`${error.message} (--help shows what there is.)`);
    throw error;
  }
}

/** Writes a line to stderr. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}
