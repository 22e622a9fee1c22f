import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { beforeTable } from './before.js';
import { fill } from './fill.js';
import { peakRss } from './load/process-figures.js';
import { inTurn, measure, takesPart } from './measure.js';
import type { AccountName, Accounts, Job, Sizes } from './model.js';
import { type Options, readOptions } from './options.js';
import { figures, Results, table } from './report.js';
import { compileBaselines } from './start/baselines.js';
import type { StartedServer } from './start/jmapsmith.js';
import { type Postgresql, startPostgresql } from './start/postgresql.js';
import { ROOT, run as runTool } from './start/processes.js';
import { startServer } from './start/servers.js';
import { compared, targetTable } from './targets.js';

/**
 * Measures the server over HTTP beside what is written by hand, all in one interleaved run: in each
 * round every job goes over all servers before the next. Each server is a process of its own; the
 * load comes from this one. It starts what it measures, on 127.0.0.1 and in a folder of its own,
 * and stops it again.
 */

const SIZES: Sizes = { small: 10_000, big: 100_000, scratch: 1000, huge: 1_000_000 };
const QUICK_SIZES: Sizes = { small: 2000, big: 4000, scratch: 400, huge: 6000 };

interface Filled {
  readonly server: StartedServer;
  readonly accounts: Accounts;
}

async function main(argv: readonly string[]): Promise<void> {
  const options = readOptions(argv);
  if (typeof options === 'string') {
    process.stdout.write(options);
    return;
  }
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-bench-'));
  const opened: (() => Promise<void>)[] = [];
  try {
    await Promise.race([benchmark(options, folder, opened), interrupted]);
  } finally {
    for (const close of opened.reverse()) await close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchmark(
  options: Options,
  folder: string,
  opened: (() => Promise<void>)[],
): Promise<void> {
  // The benchmark measures the code as it is now.
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const { before } = options;
  if (before !== null) await runTool([join(before, 'scripts/build.mjs')], { cwd: before });
  const compiled = await compileBaselines(join(folder, 'by-hand'));
  const postgresql = await postgresqlFor(options, opened);
  const profiles = options.profiles === null ? null : resolve(options.profiles);
  const servers: Filled[] = [];
  for (const kind of options.kinds) {
    const jobs = options.jobs.filter((job) => takesPart(kind, job));
    if (jobs.length === 0) continue;
    progress(`starting ${kind.name}`);
    const server = await startServer(kind, { folder, compiled, postgresql, profiles });
    opened.push(() => server.stop());
    const started = performance.now();
    const accounts = await fill(server, sizesFor(options, jobs));
    progress(`  its objects are stored (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    servers.push({ server, accounts });
  }
  await postgresql?.settle();
  const results = new Results();
  const writes = (job: Job): boolean => job.needs.includes('scratch');
  // All rounds of what reads come first: a server that stores more in the same time would have more
  // to read afterwards. (PostgreSQL scans the table of all accounts where it looks for a text.)
  for (const jobs of [options.jobs.filter((job) => !writes(job)), options.jobs.filter(writes)])
    for (let round = 0; round < options.rounds; round += 1)
      for (const job of jobs) await oneJob(options, servers, job, round, results);
  const memory = new Map<string, number | null>();
  for (const { server } of servers) memory.set(server.name, await peakRss(server.pid));
  const parts = [
    table(results, options.jobs, options.rounds),
    targetTable(results, memory),
    beforeTable(results),
    ...[...memory].map(([name, peak]) => `peak RSS of ${name}: ${peak ?? '?'} MB`),
  ];
  process.stdout.write(`${parts.join('\n')}\n`);
  await store(options, { ...figures(results, memory, options), compared: compared(results) });
}

async function oneJob(
  options: Options,
  servers: readonly Filled[],
  job: Job,
  round: number,
  results: Results,
): Promise<void> {
  const taking = servers.filter(({ server }) => takesPart(server, job));
  const { seconds } = options;
  const rates: string[] = [];
  // Code that never ran takes longer to become fast.
  const most = round === 0 ? Math.min(2, seconds) : Math.min(0.5, seconds / 4);
  const warmUp = options.quick ? 0.05 : most;
  for (const { server, accounts } of inTurn(taking, round)) {
    const measured = await measure(server, job, accounts, { seconds, warmUp });
    results.add(job.name, server.name, measured);
    rates.push(`${server.name} ${Math.round(measured.perSecond)}`);
  }
  progress(`round ${round + 1} of ${options.rounds}: ${job.name}: ${rates.join(', ')}`);
}

async function postgresqlFor(
  { kinds }: Options,
  opened: (() => Promise<void>)[],
): Promise<Postgresql | null> {
  if (!kinds.some(({ postgresql }) => postgresql === true)) return null;
  progress('starting PostgreSQL');
  const started = await startPostgresql();
  opened.push(() => started.stop());
  return started;
}

/** Only what is read is stored. */
function sizesFor({ quick }: Options, jobs: readonly Job[]): Sizes {
  const all = quick ? QUICK_SIZES : SIZES;
  const needed = new Set<AccountName>(jobs.flatMap(({ needs }) => needs));
  const size = (name: AccountName): number => (needed.has(name) ? all[name] : 0);
  return { small: size('small'), big: size('big'), scratch: size('scratch'), huge: size('huge') };
}

async function store({ out, quick }: Options, value: object): Promise<void> {
  if (out === null && quick) return;
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = out === null ? join(ROOT, 'bench/results', `${time}.json`) : resolve(out);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
  process.stdout.write(`\nfigures: ${file}\n`);
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// An interrupted run must not wait for its work.
if (process.exitCode === 1) process.exit();
