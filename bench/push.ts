import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPool } from '../src/database/postgresql/index.js';
import { openPrisma } from '../src/database/postgresql/prisma.js';
import { openPrismaStandalone } from '../src/database/sqlite/prisma.js';
import { measureDelivery } from './push/delivery.js';
import { EventSocket } from './push/event-socket.js';
import {
  MEMORY_FILE,
  MEMORY_OPTIONS,
  measureStreams,
  openStreams,
  type StreamServer,
} from './push/streams.js';
import { makeUsers, OF_A_USER, quantile, write } from './push/users.js';
import { type StartedJmapsmith, startJmapsmith } from './start/jmapsmith.js';
import { startPostgresql } from './start/postgresql.js';
import { ROOT, run as runTool } from './start/processes.js';

const HELP = `usage: npm run bench -- push [--streams N] [--commits N] [--pushes N] [--only PART]

Measures push: how soon clients hear of commits, and what that costs.

  --streams N  event sources that are open at once (10000)
  --commits N  commits whose events are timed (500)
  --pushes N   subscriptions that are pushed to (2000)
  --only PART  latency, streams, storm, writers or pushes
`;

interface Sizes {
  readonly streams: number;
  readonly commits: number;
  readonly pushes: number;
}

/** Measures a part: each figure is a row of the table. */
type Part = (sizes: Sizes) => Promise<readonly Row[]>;
type Row = readonly [what: string, figure: string, target: string];

const PARTS: Readonly<Record<string, Part>> = {
  latency: measureLatency,
  streams: ({ streams }) => measureStreams(streams, onSqlite),
  storm: measureStorm,
  writers: measureWriters,
  pushes: async ({ pushes }) => measureDelivery(pushes),
};

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      streams: { type: 'string', default: '10000' },
      commits: { type: 'string', default: '500' },
      pushes: { type: 'string', default: '2000' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const sizes = {
    streams: Number(values.streams),
    commits: Number(values.commits),
    pushes: Number(values.pushes),
  };
  process.stdout.write('| what | measured | target |\n|---|---|---|\n');
  for (const [name, part] of Object.entries(PARTS)) {
    if (values.only !== undefined && values.only !== name) continue;
    for (const row of await part(sizes)) process.stdout.write(`| ${row.join(' | ')} |\n`);
  }
}

interface Scene extends StreamServer {
  readonly port: number;
}

/** Runs `measure` on a server on SQLite with so many users of one account. */
async function onSqlite<T>(users: number, measure: (scene: Scene) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  process.env[MEMORY_FILE] = join(folder, 'memory.json');
  const nodeOptions = MEMORY_OPTIONS;
  const server = await startJmapsmith({ name: 'jmapsmith', folder, root: ROOT, nodeOptions });
  try {
    const prisma = openPrismaStandalone(join(folder, 'data', 'jmap.db'));
    const made = await makeUsers(prisma, users);
    await prisma.$disconnect();
    return await measure({ ...sceneOf(server, folder), ...made });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function sceneOf({ url, pid }: StartedJmapsmith, folder: string) {
  return { url, pid, port: Number(new URL(url).port), memoryFile: join(folder, 'memory.json') };
}

/** Runs `measure` on two servers on one PostgreSQL. */
async function onPostgresql<T>(
  env: Readonly<Record<string, string>>,
  measure: (first: Scene, second: Scene) => Promise<T>,
): Promise<T> {
  const postgresql = await startPostgresql();
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  Object.assign(process.env, env);
  const databaseUrl = await postgresql.createDatabase('push');
  const start = (name: string): Promise<StartedJmapsmith> =>
    startJmapsmith({
      ...{ name, folder: join(folder, name), root: ROOT, databaseUrl, nodeOptions: [] },
    });
  const servers = [await start('first'), await start('second')] as const;
  try {
    const pool = openPool({ url: databaseUrl, size: 1 });
    const made = await makeUsers(openPrisma(pool), 16);
    await pool.end();
    const [first, second] = servers.map((server) => {
      return { ...sceneOf(server, folder), ...made };
    });
    return await measure(first as Scene, second as Scene);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await postgresql.stop();
    await rm(folder, { recursive: true, force: true });
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

/** From the answer of a commit to its event; negative where the event comes first. */
async function latencies(writer: Scene, reader: Scene, count: number): Promise<readonly number[]> {
  const [token = ''] = writer.tokens;
  const stream = new EventSocket(reader.port, token);
  await stream.opened;
  const waits: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const event = stream.next();
    const answered = await write(writer.url, token, writer.accountId);
    waits.push(Math.max(0, (await event) - answered));
    await pause(5);
  }
  stream.close();
  return waits;
}

async function measureLatency({ commits }: Sizes): Promise<readonly Row[]> {
  const describe = (waits: readonly number[]): string =>
    `p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`;
  const one = await onSqlite(1, (scene) => latencies(scene, scene, commits));
  const two = await onPostgresql({}, (first, second) => latencies(first, second, commits));
  return [
    ['answer of a commit to event, SQLite', describe(one), 'p50 1 ms, p99 10 ms'],
    ['the same between servers, PostgreSQL', describe(two), 'p50 5 ms, p99 50 ms'],
  ];
}

function measureStorm({ streams }: Sizes): Promise<readonly Row[]> {
  const count = Math.floor(streams / 2);
  return onSqlite(Math.ceil(count / OF_A_USER), async (scene) => {
    const first = await openStreams(scene, count, 0);
    const ids = first.map(({ lastEventId }) => lastEventId);
    for (const stream of first) stream.close();
    await pause(2000);
    const begun = performance.now();
    const again = ids.map(async (id, n) => {
      await pause((5000 * n) / count);
      const token = scene.tokens[Math.floor(n / OF_A_USER)] ?? '';
      const stream = new EventSocket(scene.port, token, id);
      await stream.opened;
      return stream;
    });
    const streamsAgain = await Promise.all(again);
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    for (const stream of streamsAgain) stream.close();
    return [[`${count} streams come back with ids within 5 s`, `all open after ${took} s`, '10 s']];
  });
}

/** Commits a second of 32 writers at one of two servers. */
async function commitsOf(scene: Scene): Promise<number> {
  const end = performance.now() + 10_000;
  let commits = 0;
  const writer = async (n: number): Promise<void> => {
    const token = scene.tokens[n % scene.tokens.length] ?? '';
    while (performance.now() < end) {
      await write(scene.url, token, scene.accountId);
      commits += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, n) => writer(n)));
  return commits / 10;
}

const ROUNDS = 5;

/** In turns, as a machine has fast and slow minutes. */
async function measureWriters(): Promise<readonly Row[]> {
  const on: number[] = [];
  const off: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    on.push(await onPostgresql({}, commitsOf));
    off.push(await onPostgresql({ PUSH_BUS: 'poll:60s' }, commitsOf));
  }
  const [with_, without] = [quantile(on, 0.5), quantile(off, 0.5)];
  const share = ((100 * with_) / without).toFixed(1);
  return [
    [
      'commits a second, another server listening',
      `${with_.toFixed(0)}; without ${without.toFixed(0)}: ${share}%`,
      '97%',
    ],
  ];
}

await main(process.argv.slice(2));
