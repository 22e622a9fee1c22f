import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeProject } from './generate-project.js';

/**
 * Measures the generator on projects of many types, each run in a process of its own, as a user
 * starts it. CPU time is the process's own: other work on the machine changes it least.
 */

const HELP = `usage: npm run bench -- generate [--quick] [--rounds N]

  --quick      one round of a small project: does it run?
  --rounds N   rounds of all jobs, in turn (3)
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Measurement {
  readonly cpu: number;
  readonly wall: number;
  readonly peak: number;
  readonly told: readonly string[];
}

interface Job {
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Files that must not be there when it starts. */
  readonly fresh: readonly string[];
  /** Lines of its output that are shown with the figures. */
  readonly tell?: RegExp;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds >= 1))
    throw new Error('--rounds takes a whole number from 1.');
  await build();
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-bench-'));
  try {
    const jobs = await makeJobs(folder, values.quick ? [10] : [30, 300]);
    const measured = new Map(jobs.map((job) => [job, [] as Measurement[]]));
    for (let round = 1; round <= rounds; round += 1)
      for (const job of jobs) {
        process.stderr.write(`round ${round} of ${rounds}: ${job.name}\n`);
        for (const path of job.fresh) await rm(path, { recursive: true, force: true });
        measured.get(job)?.push(await measure(job));
      }
    print(measured, rounds);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * As users run it: compiled. Of the smallest project once as this checkout runs it, too, from its
 * sources. The last and largest project's output is compiled as well, and its types are counted.
 */
async function makeJobs(folder: string, sizes: readonly number[]): Promise<readonly Job[]> {
  const compiled = [join(ROOT, 'dist/scripts/generate.js')];
  const sources = [
    ...['--conditions=jmapsmith-source', '--import', 'tsx/esm'],
    join(ROOT, 'scripts/generate.ts'),
  ];
  const jobs: Job[] = [];
  for (const size of sizes) {
    const root = join(folder, String(size));
    await makeProject(root, size);
    const argv = ['--root', root];
    const fresh = ['generated', 'prisma', 'docs'].map((name) => join(root, name));
    const of = `of ${size} types`;
    const check = [...argv, '--check'];
    jobs.push(
      { name: `generate ${of}, all anew`, argv: [...compiled, ...argv], cwd: ROOT, fresh },
      { name: `generate --check ${of}`, argv: [...compiled, ...check], cwd: ROOT, fresh: [] },
    );
    if (size === sizes[0])
      jobs.push({
        name: `the same, from sources`,
        argv: [...sources, ...check],
        cwd: ROOT,
        fresh: [],
      });
    if (size !== sizes.at(-1)) continue;
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    jobs.push({
      name: `tsc over the output ${of}`,
      argv: [tsc, '-p', root, '--extendedDiagnostics'],
      cwd: root,
      fresh: [],
      tell: /^(?:Types|Instantiations):.*$/gm,
    });
  }
  return jobs;
}

/** The benchmark measures the code as it is now. */
async function build(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts/build.mjs')], {
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

async function measure({ name, argv, cwd, tell: wanted }: Job): Promise<Measurement> {
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

function print(measured: ReadonlyMap<Job, readonly Measurement[]>, rounds: number): void {
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

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
