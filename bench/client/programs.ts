import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../start/processes.js';

/** Programs that use the client: each is bundled, as those of users are, and runs in a process. */

const FOLDER = join(ROOT, 'build/bench-client');

function sourceOf(name: string): string {
  return join(ROOT, 'bench/client/programs', `${name}.ts`);
}

/** Runs a program in Node; resolves to what it prints, which is JSON. */
export async function runProgram(name: string, args: readonly (string | number)[]) {
  const outfile = join(FOLDER, `${name}.mjs`);
  await build({
    entryPoints: [sourceOf(name)],
    ...{ bundle: true, format: 'esm', platform: 'node', packages: 'external', outfile },
    logLevel: 'silent',
  });
  const child = spawn(process.execPath, ['--expose-gc', outfile, ...args.map(String)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}:\n${stderr}`);
  return JSON.parse(stdout) as unknown;
}

/** Returns the text of a program for a page. */
export async function bundlePage(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [sourceOf(name)],
    ...{ bundle: true, format: 'iife', platform: 'browser', write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.text ?? '';
}
