import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, runSteps } from '../../support/operator.js';
import { ROOT } from '../../support/server.js';

export type { CommandResult as ToolResult };

/** For a hook that builds: where many tests start at once, one builds and the others wait, ms. */
export const BUILD_TIMEOUT = 300_000;

/**
 * Has dist/ built where it is not current, so that no tool under test stops to build
 * (test/scripts/build-run has that).
 */
export function buildTools(): void {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

/**
 * A data folder of its own, with the tools as a user runs them on it. No server has ever been
 * started there.
 */
export class Workplace {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'commands-'));
  readonly file = join(this.dataDir, 'jmap.db');

  /** Runs `scripts/<name>` as a process; whatever its exit code. */
  run(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult> {
    const child = spawn(process.execPath, [`dist/scripts/${name}.js`, ...args], {
      cwd: ROOT,
      env: { ...this.#environment, ...env },
      // Nothing ever prompts: there is no input to be had.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }

  /** Runs it once for each list of arguments, in one process. */
  runEach(name: string, calls: readonly (readonly string[])[]): Promise<readonly CommandResult[]> {
    const steps = calls.map((args) => [`scripts/${name}`, args] as const);
    return runSteps({ root: ROOT, env: this.#environment, steps, goesOn: true });
  }

  get #environment(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', DATA_DIR: this.dataDir };
  }

  /** The same for one that must succeed and have nothing to complain about: its lines. */
  async lines(name: string, ...args: readonly string[]): Promise<readonly string[]> {
    const [{ code, stdout, stderr } = NEVER] = await this.runEach(name, [args]);
    if (code !== 0 || stderr !== '')
      throw new Error(`${name} ${args.join(' ')}: ${code} ${stderr}`);
    if (stdout !== '' && !stdout.endsWith('\n')) throw new Error('The last line has no end.');
    return stdout.split('\n').slice(0, -1);
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

const NEVER: CommandResult = { code: null, stdout: '', stderr: 'It never ran.' };
