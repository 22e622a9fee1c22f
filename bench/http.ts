import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

/**
 * Measures the server over HTTP: keep-alive connections, a process of its own for the server, one for the load.
 * `npm run bench` prints a table of medians; `-- --quick` is a smoke test of some seconds. It starts what it
 * measures, on 127.0.0.1 and in a folder of its own, and stops it again.
 */

const HELP = `usage: npm run bench -- [--quick] [--rounds N] [--seconds S]

  --quick      one short round: does it run?
  --rounds N   rounds of all jobs, in turn (5)
  --seconds S  length of one measurement (4)
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONNECTIONS = 16;
const STORED = 10_000;
const USING = ['urn:ietf:params:jmap:core', 'urn:example:todos'];

type Call = readonly [name: string, args: object, callId: string];

interface Job {
  readonly name: string;
  /** The calls of the nth request. */
  readonly calls: (n: number) => readonly Call[];
}

interface Server {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
  /** Holds the objects that are read: no job adds to it. */
  readonly accountId: string;
  /** Takes what is created. */
  readonly scratchId: string;
  stop(): Promise<void>;
}

interface Measurement {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const rounds = values.quick ? 1 : Number(values.rounds);
  const seconds = values.quick ? 1 : Number(values.seconds);
  if (!(rounds >= 1 && seconds >= 1))
    throw new Error('--rounds and --seconds take whole numbers from 1.');
  const server = await startServer();
  try {
    progress(`storing ${STORED} objects`);
    const ids = await store(server);
    const jobs = makeJobs(server, ids);
    const measured = new Map(jobs.map(({ name }) => [name, [] as Measurement[]]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const job of jobs) {
        progress(`round ${round} of ${rounds}: ${job.name}`);
        measured.get(job.name)?.push(await measure(server, job.calls, seconds));
      }
    }
    await print(measured, server);
  } finally {
    await server.stop();
  }
}

function makeJobs({ accountId, scratchId }: Server, ids: readonly string[]): readonly Job[] {
  const todo = { text: 'Measure what a create costs over HTTP', done: false };
  const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, todo]));
  const middle = Math.floor(ids.length / 2);
  const some = (count: number): Call => [
    'Todo/get',
    { accountId, ids: ids.slice(middle, middle + count) },
    '0',
  ];
  const filter = { text: 'number 7', done: false };
  const query = { accountId, filter, sort: [{ property: 'text' }], limit: 50 };
  const found = { resultOf: '0', name: 'Todo/query', path: '/ids' };
  const same = (...calls: readonly Call[]): Job['calls'] => {
    return () => calls;
  };
  return [
    { name: 'Core/echo', calls: same(['Core/echo', { hello: true }, '0']) },
    { name: 'get 1', calls: same(some(1)) },
    { name: 'get 100', calls: same(some(100)) },
    {
      name: `query 50 of ${STORED} and get them`,
      calls: same(['Todo/query', query, '0'], ['Todo/get', { accountId, '#ids': found }, '1']),
    },
    {
      name: 'changes 100',
      calls: same(['Todo/changes', { accountId, sinceState: '5000', maxChanges: 100 }, '0']),
    },
    {
      name: 'update 1',
      // A text of its own each time: setting what is there already would be no update.
      calls: (n) => [
        ['Todo/set', { accountId, update: { [ids[0] ?? '']: { text: `Update ${n}` } } }, '0'],
      ],
    },
    {
      name: 'create 1',
      calls: same(['Todo/set', { accountId: scratchId, create: { k: todo } }, '0']),
    },
    {
      name: 'create 100',
      calls: same(['Todo/set', { accountId: scratchId, create: hundred }, '0']),
    },
  ];
}

async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-bench-'));
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: `file:${join(folder, 'jmap.db')}`,
    BLOB_STORE: `file:${join(folder, 'blobs')}`,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    BOOTSTRAP_TOKEN: 'off',
    MAX_CONCURRENT_REQUESTS: '64',
  };
  const tool = async (...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, ['scripts/run.mjs', ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`);
    return text.trim();
  };
  const accountId = await tool('scripts/account', 'create', '--name', 'bench', '--user', 'bench');
  const scratchId = await tool('scripts/account', 'create', '--name', 'scratch', '--user', 'bench');
  const token = await tool('scripts/token', 'create', '--user', 'bench');
  const child = spawn(process.execPath, ['scripts/run.mjs', 'src/main'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  child.stdout.setEncoding('utf8');
  const [line] = (await once(child.stdout, 'data')) as [string];
  const url = /https?:\/\/\S+/.exec(line)?.[0];
  if (url === undefined || child.pid === undefined) {
    await stop();
    throw new Error(`The server did not start: ${line}`);
  }
  return { url: new URL(url).origin, pid: child.pid, token, accountId, scratchId, stop };
}

async function store(server: Server): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < STORED; first += 500) {
    const create = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [
        `k${n}`,
        { text: `Thing number ${first + n}`, done: n % 2 === 0 },
      ]),
    );
    const response = await fetch(`${server.url}/jmap`, {
      method: 'POST',
      headers: headers(server),
      body: body([['Todo/set', { accountId: server.accountId, create }, '0']]),
    });
    const { methodResponses } = (await response.json()) as {
      methodResponses: [string, { created: Record<string, { id: string }> }, string][];
    };
    ids.push(...Object.values(methodResponses[0]?.[1].created ?? {}).map(({ id }) => id));
  }
  if (ids.length !== STORED) throw new Error(`${ids.length} of ${STORED} objects were stored.`);
  return ids;
}

/** Numbers requests over all measurements. */
let sent = 0;

async function measure(server: Server, calls: Job['calls'], seconds: number): Promise<Measurement> {
  const result = await autocannon({
    url: `${server.url}/jmap`,
    method: 'POST',
    headers: headers(server),
    requests: [
      {
        setupRequest: (request) => {
          sent += 1;
          return { ...request, body: body(calls(sent)) };
        },
      },
    ],
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no 200, ${result.errors} requests failed.`);
  }
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

async function print(
  measured: ReadonlyMap<string, readonly Measurement[]>,
  server: Server,
): Promise<void> {
  const lines = [
    `${cpus().length} cores, Node ${process.versions.node}, ${CONNECTIONS} connections; medians of ${[...measured.values()][0]?.length ?? 0} rounds`,
    '',
    '| job | requests per second (min to max) | p50 ms | p99 ms |',
    '|---|---|---|---|',
  ];
  for (const [name, all] of measured) {
    const rates = all.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
    const [least, most] = [rates[0] ?? 0, rates.at(-1) ?? 0].map((rate) => Math.round(rate));
    const p50 = median(all.map((one) => one.p50));
    const p99 = median(all.map((one) => one.p99));
    lines.push(
      `| ${name} | ${Math.round(median(rates))} (${least} to ${most}) | ${p50} | ${p99} |`,
    );
  }
  lines.push('', `peak RSS of the server: ${await peakRss(server.pid)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Linux tells it of any process; elsewhere it is left out. */
async function peakRss(pid: number): Promise<string> {
  if (process.platform !== 'linux') return 'not known on this system';
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
  return `${Math.round(kilobytes / 1024)} MB`;
}

function headers(server: Server): Record<string, string> {
  return { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
}

function body(calls: readonly Call[]): string {
  return JSON.stringify({ using: USING, methodCalls: calls });
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
