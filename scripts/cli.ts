import { MissingClientError } from '../src/blobs/index.js';
import { runCommand, UsageError } from '../src/descriptor/command-line.js';
import { ConfigError } from '../src/server/config-error.js';
import { ProjectError } from '../src/server/project.js';

export {
  EXIT,
  parseOptions,
  printError,
  printLine,
  UsageError,
} from '../src/descriptor/command-line.js';

/** Errors that a wrong variable, project or place of blobs causes. */
const INPUT_ERRORS = [ConfigError, MissingClientError, ProjectError];

/** Runs a tool of this package: see `runCommand`. A wrong variable is a wrong input, too. */
export async function runTool(
  name: string,
  help: string,
  main: (argv: readonly string[]) => Promise<number>,
): Promise<void> {
  const isInputError = (error: unknown) => INPUT_ERRORS.some((kind) => error instanceof kind);
  await runCommand({ name, help, main, isInputError });
}

export type Command = (argv: readonly string[]) => Promise<number>;

/** Runs a tool of several commands: the first argument names one. */
export async function runSubcommand(
  tool: string,
  help: string,
  commands: Readonly<Record<string, Command>>,
): Promise<void> {
  await runTool(tool, help, async ([name, ...rest]) => {
    const isKnown = name !== undefined && Object.hasOwn(commands, name);
    const command = isKnown ? commands[name] : undefined;
    if (command === undefined)
      throw new UsageError(`Say one of ${Object.keys(commands).join(', ')} (--help tells more).`);
    return command(rest);
  });
}

/** Ends the process once its output is written, whatever libraries are still loading by then. */
export function endProcess(): void {
  process.stderr.write('', () => process.stdout.write('', () => process.exit()));
}
