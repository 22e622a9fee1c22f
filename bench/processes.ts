import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Measures programs, each run in a process of its own. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Measurement {
  readonly cpu: number;
  readonly wall: number;
  readonly peak: number;
  readonly told: readonly string[];
}

export interface Job {
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Files that must not be there when it starts. */
  readonly fresh: readonly string[];
  /** Lines of its output that are shown with the figures. */
  readonly tell?: RegExp;
}

/** Builds the program, or another part: the benchmark measures the code as it is now. */
export async function build(part: '--client' | null = null): Promise<void> {
  const argv = part === null ? [] : [part];
  const child = spawn(process.execPath, [join(ROOT, 'scripts/build.mjs'), ...argv], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`The build ended with ${String(code)}.`);
}

/**
 * The figures that a measured process tells of itself as it ends; a program that it started is not
 * in them.
 */
const TELL = `import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())));`;

export async function measure({ name, argv, cwd, tell: wanted }: Job): Promise<Measurement> {
  const started = performance.now();
  const tell = `data:text/javascript,${encodeURIComponent(TELL)}`;
  const child = spawn(process.execPath, ['--import', tell, ...argv], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, usage] = child.stdio.map((stream) => textOf(stream));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const wall = (performance.now() - started) / 1000;
  if (code !== 0)
    throw new Error(`${name} ended with ${String(code)}:\n${stdout?.()}${stderr?.()}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(
    usage?.() ?? '',
  ) as NodeJS.ResourceUsage;
  const told = wanted === undefined ? [] : (stdout?.().match(wanted) ?? []);
  return { cpu: (userCPUTime + systemCPUTime) / 1e6, wall, peak: maxRSS / 1024, told };
}

/** Collects what a stream gives; the text so far is asked for once it has ended. */
function textOf(stream: unknown): () => string {
  let text = '';
  if (stream instanceof Readable)
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return () => text;
}

export function printMeasured(
  measured: ReadonlyMap<Job, readonly Measurement[]>,
  rounds: number,
): void {
  const lines = [
    `${cpus().length} cores, Node ${process.versions.node}; min / median / max of ${rounds} rounds`,
    '',
    '| job | CPU s | wall s | peak RSS MB |',
    '|---|---|---|---|',
  ];
  for (const [{ name }, all] of measured) {
    const cpu = spread(
      all.map((one) => one.cpu),
      2,
    );
    const wall = spread(
      all.map((one) => one.wall),
      2,
    );
    lines.push(
      `| ${name} | ${cpu} | ${wall} | ${spread(
        all.map((one) => one.peak),
        0,
      )} |`,
    );
  }
  for (const [{ name }, all] of measured)
    for (const line of all[0]?.told ?? []) lines.push('', `${name}: ${line.replace(/ +/g, ' ')}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    .map((value) => (value ?? 0).toFixed(digits))
    .join(' / ');
}
