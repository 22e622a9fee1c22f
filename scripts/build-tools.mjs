import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE } from './build-layout.mjs';
import { runChild } from './children.mjs';

/** A build that failed for a reason that its message says; `code` is the process's exit code. */
export class BuildError extends Error {
  constructor(message, code) {
    super(message);
    this.name = 'BuildError';
    this.code = code;
  }
}

/** A line of progress. It goes to stderr: stdout belongs to whom the build is done for. */
export function say(text) {
  process.stderr.write(`building: ${text}\n`);
}

/** Reports a failed build on stderr and gives the exit code. */
export function reportFailure(error) {
  if (error instanceof BuildError) return tell(error.message, error.code);
  // A refusal of the file system (no permission, no space) is told in a line, not as a defect.
  if (error.syscall !== undefined) return tell(error.message, 1);
  return tell(error.stack ?? error, 70);
}

function tell(text, code) {
  process.stderr.write(`build: ${text}\n`);
  return code;
}

/**
 * Runs a tool of this package in `root`, inside of `withChildren`; its output is kept for when it
 * fails.
 */
export function runTool(root, module, args) {
  const environment = {
    ...process.env,
    NO_COLOR: '1',
    // Nothing is sent or downloaded. `prisma generate` looks for the native schema engine without
    // using it: any file does.
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    PRISMA_SCHEMA_ENGINE_BINARY: join(PACKAGE, 'package.json'),
  };
  return runChild(process.execPath, [resolveTool(module), ...args], {
    cwd: root,
    env: environment,
  });
}

function resolveTool(module) {
  try {
    return createRequire(join(PACKAGE, 'package.json')).resolve(module);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    const [name] = module.split('/');
    throw new BuildError(`the package ${name} is not installed: run npm ci in ${PACKAGE}`, 2);
  }
}
