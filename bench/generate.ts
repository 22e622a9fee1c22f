import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeProject } from './generate-project.js';
import { build, type Job, type Measurement, measure, printMeasured } from './processes.js';

/**
 * Measures the generator on projects of many types, each run in a process of its own, as a user
 * starts it. CPU time is the process's own: other work on the machine changes it least.
 */

const HELP = `usage: npm run bench -- generate [--quick] [--rounds N]

  --quick      one round of a small project: does it run?
  --rounds N   rounds of all jobs, in turn (3)
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

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
    printMeasured(measured, rounds);
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

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
