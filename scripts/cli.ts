import { type ParseArgsConfig, parseArgs } from 'node:util';
import { MissingClientError } from '../src/blobs/index.js';
import { ConfigError } from '../src/server/config.js';
import { ProjectError } from '../src/server/project.js';

/** Exit codes that every tool keeps to. */
export const EXIT = Object.freeze({
  fine: 0,
  /** A check found something. */
  found: 1,
  /** The input (a descriptor, an argument, a variable) is wrong. */
  input: 2,
  /** Our own defect. */
  defect: 70,
});

/** The input is wrong: `runTool` prints the message (no stack) and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs a tool: answers `--help`, turns a `UsageError` (and a wrong environment variable) into exit
 * code 2 and anything else thrown into 70. Errors go to stderr. `main` gets the arguments behind
 * the tool's name and returns the exit code; it must release what it opened, for the process is
 * left to end by itself.
 */
export async function runTool(
  name: string,
  help: string,
  main: (argv: readonly string[]) => Promise<number>,
): Promise<void> {
  // A reader that stops early (`npm run -s token -- list | head -1`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.defect);
  });
  process.exitCode = await exitCodeOf(name, help, main, process.argv.slice(2));
}

/** Ends the process once its output is written, whatever libraries are still loading by then. */
export function endProcess(): void {
  process.stderr.write('', () => process.stdout.write('', () => process.exit()));
}

async function exitCodeOf(
  name: string,
  help: string,
  main: (argv: readonly string[]) => Promise<number>,
  argv: readonly string[],
): Promise<number> {
  if (asksForHelp(argv)) {
    printLine(help.trim());
    return EXIT.fine;
  }
  try {
    return await main(argv);
  } catch (error) {
    if (
      error instanceof UsageError ||
      error instanceof ConfigError ||
      error instanceof MissingClientError ||
      error instanceof ProjectError
    ) {
      printError(`${name}: ${error.message}`);
      return EXIT.input;
    }
    printError(`${name}: this is a defect of ours, please report it.`);
    printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.defect;
  }
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return own.includes('--help') || own.includes('-h');
}

/** `util.parseArgs`, strict, whose complaints are `UsageError`s. */
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

/** A line of a tool's result. */
export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A line of what a tool has to complain about. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}
