import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { cpuTime } from '../load/process-figures.js';
import { quantile } from '../quantile.js';
import { startProcess } from '../start/processes.js';
import { EventSocket } from './event-socket.js';
import { OF_A_USER, write } from './users.js';

/** How long idle streams are watched, ms: each has two pings. */
const IDLE = 60_000;
/** The first commits find code that was never run: the median counts. */
const COMMITS = 5;
const PING = 30;

/** Set in the environment of a server that `memory.mjs` is loaded into. */
export const MEMORY_FILE = 'MEMORY_FILE';
export const MEMORY_OPTIONS: readonly string[] = [
  ...['--import', new URL('../load/memory.mjs', import.meta.url).href],
];

/** A server of event sources: jmapsmith, or the bare one. */
export interface StreamServer {
  readonly url: string;
  readonly pid: number;
  readonly memoryFile: string;
  readonly accountId: string;
  readonly tokens: readonly string[];
}

interface StreamFigures {
  /** Of one stream, kB. */
  readonly heap: number;
  readonly resident: number;
  /** Of a core, percent. */
  readonly idle: number;
  /** Processor time of one event, microseconds. */
  readonly event: number;
  /** Until all have an event, ms. */
  readonly written: number;
  /** Waits of other requests meanwhile, ms. */
  readonly others: number;
}

type Row = readonly [what: string, figure: string, target: string];

/** Opens so many event sources on jmapsmith and on a bare node:http server in turn. */
export async function measureStreams(
  count: number,
  onSqlite: <T>(users: number, measure: (scene: StreamServer) => Promise<T>) => Promise<T>,
): Promise<readonly Row[]> {
  const ours = await onSqlite(Math.ceil(count / OF_A_USER), (scene) => figuresOf(scene, count));
  const bare = await onBare((scene) => figuresOf(scene, count));
  const row = (
    what: string,
    { part, unit, digits }: { part: keyof StreamFigures; unit: string; digits: number },
    target: string,
  ): Row => {
    const [value, beside] = [ours[part].toFixed(digits), bare[part].toFixed(digits)];
    return [what, `${value} ${unit}; bare node:http ${beside}`, target];
  };
  return [
    row(`heap of an idle event source, of ${count}`, { part: 'heap', unit: 'kB', digits: 1 }, '6'),
    row('resident memory of one', { part: 'resident', unit: 'kB', digits: 1 }, '13'),
    row('all with ping=30', { part: 'idle', unit: '% of a core', digits: 1 }, '2'),
    row('a commit to all: each', { part: 'event', unit: 'µs of processor time', digits: 0 }, '40'),
    row('until all have it', { part: 'written', unit: 'ms', digits: 0 }, '500'),
    row('other requests meanwhile, p99', { part: 'others', unit: 'ms', digits: 0 }, '20 more'),
  ];
}

async function onBare<T>(measure: (scene: StreamServer) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  const memoryFile = join(folder, 'memory.json');
  const program = fileURLToPath(new URL('./bare-streams.mjs', import.meta.url));
  const env = { ...process.env, [MEMORY_FILE]: memoryFile };
  const server = await startProcess('bare', [...MEMORY_OPTIONS, program], { env });
  try {
    return await measure({ ...server, memoryFile, accountId: '', tokens: [] });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function figuresOf(server: StreamServer, count: number): Promise<StreamFigures> {
  const before = await memoryOf(server);
  const streams = await openStreams(server, count, PING);
  const after = await memoryOf(server);
  const idle = await processorOf(server, () => pause(IDLE));
  const asker = new Worker(new URL('./asker.mjs', import.meta.url), { workerData: server.url });
  const rounds: { readonly spent: number; readonly took: number }[] = [];
  for (let round = 1; round <= COMMITS; round += 1) {
    await pause(500);
    const begun = performance.now();
    const spent = await processorOf(server, async () => {
      await write(server.url, server.tokens[0] ?? '', server.accountId);
      while (streams.some(({ events }) => events < round)) await pause(5);
    });
    const took = Math.max(...streams.map(({ eventAt }) => eventAt)) - begun;
    rounds.push({ spent, took });
  }
  asker.postMessage('stop');
  const [waits] = (await once(asker, 'message')) as [readonly number[]];
  await asker.terminate();
  for (const stream of streams) stream.close();
  const median = (part: 'spent' | 'took'): number =>
    quantile(
      rounds.map((round) => round[part]),
      0.5,
    );
  return {
    heap: (after.heapUsed - before.heapUsed) / count / 1024,
    resident: (after.rss - before.rss) / count / 1024,
    idle: idle / (IDLE * 10),
    event: median('spent') / count,
    written: median('took'),
    others: quantile(waits, 0.99),
  };
}

/** Opens event sources, 64 at a time. */
export async function openStreams(
  { url, tokens }: Pick<StreamServer, 'url' | 'tokens'>,
  count: number,
  ping: number,
): Promise<readonly EventSocket[]> {
  const port = Number(new URL(url).port);
  const streams: EventSocket[] = [];
  while (streams.length < count) {
    const some = Array.from({ length: Math.min(64, count - streams.length) }, (_, n) => {
      const token = tokens[Math.floor((streams.length + n) / OF_A_USER)] ?? '';
      return new EventSocket(port, token, null, ping);
    });
    await Promise.all(some.map(({ opened }) => opened));
    streams.push(...some);
  }
  return streams;
}

/** Memory of a server after a garbage collection, octets. */
export async function memoryOf({
  memoryFile,
  pid,
}: Pick<StreamServer, 'memoryFile' | 'pid'>): Promise<{ rss: number; heapUsed: number }> {
  await rm(memoryFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(memoryFile)) await pause(20);
  await pause(50);
  return JSON.parse(await readFile(memoryFile, 'utf8')) as { rss: number; heapUsed: number };
}

/** Processor time of a server during `work`, microseconds. */
export async function processorOf(
  { pid }: Pick<StreamServer, 'pid'>,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = (await cpuTime(pid)) ?? Number.NaN;
  await work();
  return ((await cpuTime(pid)) ?? Number.NaN) - before;
}
