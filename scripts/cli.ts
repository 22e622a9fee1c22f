import { MissingClientError } from '../src/blobs/index.js';
import { runCommand } from '../src/descriptor/command-line.js';
import { ConfigError } from '../src/server/config.js';
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

/** Ends the process once its output is written, whatever libraries are still loading by then. */
export function endProcess(): void {
  process.stderr.write('', () => process.stdout.write('', () => process.exit()));
}
