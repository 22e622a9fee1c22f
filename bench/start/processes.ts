import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const START_TIMEOUT = 180_000;
const STOP_TIMEOUT = 15_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The running processes: none may outlive the benchmark, however it ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface RunningProcess {
  readonly pid: number;
  /** Without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs a command that must succeed; resolves to its output, trimmed. */
export async function run(
  argv: readonly string[],
  { cwd = ROOT, env = process.env }: { cwd?: string; env?: Environment } = {},
): Promise<string> {
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${String(code)}:\n${stderr}`);
  return stdout.trim();
}

/** Starts a server that prints its URL. */
export async function startProcess(
  name: string,
  argv: readonly string[],
  { cwd = ROOT, env = process.env }: { cwd?: string; env?: Environment },
): Promise<RunningProcess> {
  // Its standard input ends with this process, even one that is killed.
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit').then(() => {
    running.delete(child);
  });
  const stop = async (): Promise<void> => {
    if (!running.has(child)) return;
    child.kill('SIGTERM');
    const late = Symbol('late');
    const timer = pause(STOP_TIMEOUT, late, { ref: false });
    if ((await Promise.race([exited, timer])) === late) child.kill('SIGKILL');
    await exited;
  };
  const url = new Promise<string>((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length > 10_000) return;
      text += chunk;
      const found = /https?:\/\/[^\s/]+/.exec(text)?.[0];
      if (found !== undefined && text.includes('\n')) resolve(found);
    });
  });
  const found = await Promise.race([url, exited, pause(START_TIMEOUT, undefined, { ref: false })]);
  if (found === undefined || child.pid === undefined) {
    await stop();
    throw new Error(`The server ${name} did not start.`);
  }
  return { pid: child.pid, url: found, stop };
}
