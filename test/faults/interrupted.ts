import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../support/server.js';

export type Env = Readonly<Record<string, string>>;

/** How often a moment is looked for, ms. */
const LOOK = 2;

/**
 * Runs a tool (`dist/` is built) and kills it at once where `moment` says so; what it said, and
 * whether it was killed.
 */
export async function killedAt(
  tool: string,
  args: readonly string[],
  env: Env,
  moment: () => boolean | Promise<boolean>,
): Promise<{ readonly killed: boolean; readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [`dist/scripts/${tool}.js`, ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let isOver = false;
  const over = new Promise<{ code: number | null; killed: boolean }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      isOver = true;
      resolve({ code, killed: signal === 'SIGKILL' });
    });
  });
  while (!isOver) {
    if (await moment()) {
      child.kill('SIGKILL');
      break;
    }
    await pause(LOOK);
  }
  return { ...(await over), stderr };
}
