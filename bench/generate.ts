import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Measures the generator on projects of many types, each run in a process of its own, as a user
 * starts it. CPU time is the process's own: other work on the machine changes it least.
 */

const HELP = `usage: npm run bench -- generate [--quick] [--rounds N]

  --quick      one round of a small project: does it run?
  --rounds N   rounds of all jobs, in turn (3)
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES_OF_A_CAPABILITY = 10;

interface Measurement {
  readonly cpu: number;
  readonly wall: number;
  readonly peak: number;
}

interface Job {
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** What must not be there when it starts. */
  readonly fresh: readonly string[];
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

/** The last and largest project's output is compiled, too. */
async function makeJobs(folder: string, sizes: readonly number[]): Promise<readonly Job[]> {
  const tsx = ['--conditions=jmapsmith-source', '--import', 'tsx'];
  const jobs: Job[] = [];
  for (const size of sizes) {
    const root = join(folder, String(size));
    await makeProject(root, size);
    const argv = [...tsx, join(ROOT, 'scripts/generate.ts'), '--root', root];
    const fresh = [join(root, 'generated'), join(root, 'prisma')];
    const of = `of ${size} types`;
    jobs.push(
      { name: `generate ${of}, all anew`, argv, cwd: ROOT, fresh },
      { name: `generate --check ${of}`, argv: [...argv, '--check'], cwd: ROOT, fresh: [] },
    );
    if (size !== sizes.at(-1)) continue;
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    jobs.push({ name: `tsc over the output ${of}`, argv: [tsc, '-p', root], cwd: root, fresh: [] });
  }
  return jobs;
}

async function makeProject(root: string, size: number): Promise<void> {
  await mkdir(join(root, 'capabilities'), { recursive: true });
  await mkdir(join(root, 'node_modules'));
  await symlink(ROOT, join(root, 'node_modules/jmapsmith'), 'junction');
  await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    customConditions: ['jmapsmith-source'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['generated'] }),
  );
  for (let first = 0; first < size; first += TYPES_OF_A_CAPABILITY) {
    const name = `part${first / TYPES_OF_A_CAPABILITY}`;
    const types = Array.from({ length: TYPES_OF_A_CAPABILITY }, (_, n) => typeText(first + n));
    await writeFile(
      join(root, `capabilities/${name}.yaml`),
      `capability: urn:example:${name}\ntypes:\n${types.join('')}`,
    );
  }
}

/** Twelve properties, of every kind that a descriptor often has. */
function typeText(number: number): string {
  return `  Thing${number}:
    description: One of many.
    properties:
      title: { type: string, maxLength: 200, description: What it is called. }
      body: { type: string, maxLength: 10000, default: '' }
      done: { type: boolean, default: false }
      rank: { type: integer, minimum: -10, maximum: 10, default: 0 }
      score: { type: [number, 'null'] }
      due: { type: [string, 'null'], format: utc-date }
      size: { type: string, enum: [small, large], default: small, access: immutable }
      tags: { setOf: string, maxLength: 50, maxProperties: 100, default: {} }
      list: { type: array, items: { type: string, maxLength: 100 }, maxItems: 50, default: [] }
      meta: { type: object, properties: { a: { type: integer }, b: { type: string } }, default: {} }
      parentId: { type: [string, 'null'], references: Thing${number}, acyclic: true }
      blobId: { type: [string, 'null'], blob: true }
    required: [title]
    filter:
      title: { is: contains, indexed: true }
      done: equals
      dueBefore: { property: due, is: before }
    sort: [{ property: title, indexed: true }, { property: due, indexed: true }, created]
`;
}

/** What a measured process tells of itself as it ends; a program that it started is not in it. */
const TELL = `import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())));`;

async function measure({ name, argv, cwd }: Job): Promise<Measurement> {
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
  return { cpu: (userCPUTime + systemCPUTime) / 1e6, wall, peak: maxRSS / 1024 };
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
