import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The tools of jmapsmith and the conformance runner share exit codes, options and errors. */

/** Exit codes that every command keeps to. */
export const EXIT = Object.freeze({
  fine: 0,
  /** A check found something, or was not run to its end. */
  found: 1,
  /** The input (a descriptor, an argument, a variable) is wrong. */
  input: 2,
  /** A defect of the command itself. */
  defect: 70,
});

/** The input is wrong: `runCommand` prints the message without a stack and exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Command {
  readonly name: string;
  /** The text that `--help` prints. */
  readonly help: string;
  /** Takes the arguments and returns the exit code. It must release all that it opened. */
  readonly main: (argv: readonly string[]) => Promise<number>;
  /** Tells whether an error other than a UsageError is a fault of the input. */
  readonly isInputError?: (error: unknown) => boolean;
}

/**
 * Runs a command: answers `--help`, turns a wrong input into exit code 2 and every other error into
 * 70. Errors go to stderr. The process ends by itself.
 */
export async function runCommand(command: Command): Promise<void> {
  // A reader that stops early (`npm run -s token -- list | head -1`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.defect);
  });
  process.exitCode = await exitCodeOf(command, process.argv.slice(2));
}

/** Runs a command as `runCommand` does, and returns the exit code. */
export async function exitCodeOf(command: Command, argv: readonly string[]): Promise<number> {
  const { name, help, main, isInputError = () => false } = command;
  if (asksForHelp(argv)) {
    printLine(help.trim());
    return EXIT.fine;
  }
  try {
    return await main(argv);
  } catch (error) {
    if (error instanceof UsageError || isInputError(error)) {
      printError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
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

/** Parses options strictly. Throws a UsageError where an option is unknown or lacks its value. */
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

/** Writes a line of a command's result to stdout. */
export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a line of a complaint to stderr. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}
