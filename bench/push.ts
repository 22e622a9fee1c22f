import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openPool } from '../src/database/postgresql/index.js';
import { openPrisma } from '../src/database/postgresql/prisma.js';
import { openPrismaStandalone } from '../src/database/sqlite/prisma.js';
import { measureDelivery, measureHanging, measureServed } from './push/delivery.js';
import { EventSocket } from './push/event-socket.js';
import {
  MEMORY_FILE,
  MEMORY_OPTIONS,
  measureStreams,
  openStreams,
  type StreamServer,
} from './push/streams.js';
import { makeUsers, OF_A_USER, write } from './push/users.js';
import { quantile } from './quantile.js';
import { type StartedJmapsmith, startJmapsmith } from './start/jmapsmith.js';
import { type Postgresql, startPostgresql } from './start/postgresql.js';
import { ROOT, run as runTool } from './start/processes.js';

const HELP = `usage: npm run bench -- push [--streams N] [--commits N] [--pushes N] [--only PART]

Measures push: how soon clients hear of commits, and what that costs.

  --streams N  event sources that are open at once (10000)
  --commits N  commits whose events are timed (500)
  --pushes N   subscriptions that are pushed to (2000)
  --only PART  latency, streams, storm, writers, pushes, served or hanging
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
  pushes: ({ pushes }) => measureDelivery(pushes),
  served: measureServed,
  hanging: measureHanging,
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
  // Some parts break connections, and each one is a warning.
  process.env['LOG_LEVEL'] ??= 'error';
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
async function onPostgresql<T>(measure: (pair: Pair) => Promise<T>): Promise<T> {
  const postgresql = await startPostgresql();
  try {
    const pair = await startPair(postgresql, 'pair');
    try {
      return await measure(pair);
    } finally {
      await pair.stop();
    }
  } finally {
    await postgresql.stop();
  }
}

interface Pair {
  readonly scenes: readonly [Scene, Scene];
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** Starts two servers on a database of their own, with a variable of the environment or without. */
async function startPair(
  postgresql: Postgresql,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-push-'));
  const databaseUrl = await postgresql.createDatabase(name);
  Object.assign(process.env, env);
  const start = (server: string): Promise<StartedJmapsmith> =>
    startJmapsmith({
      ...{ name: `${name}-${server}`, folder: join(folder, server), root: ROOT, databaseUrl },
      nodeOptions: [],
    });
  const servers = [await start('first'), await start('second')] as const;
  for (const variable of Object.keys(env)) delete process.env[variable];
  const pool = openPool({ url: databaseUrl, size: 1 });
  const made = await makeUsers(openPrisma(pool), 16);
  await pool.end();
  const sceneOn = (server: StartedJmapsmith): Scene => ({ ...sceneOf(server, folder), ...made });
  return {
    databaseUrl,
    scenes: [sceneOn(servers[0]), sceneOn(servers[1])],
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
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
    // Hints of commits that follow each other at once wait a little for each other.
    await pause(50);
  }
  stream.close();
  return waits;
}

const LOSSES = 10;

/** From the answer of a commit to its event, where the sessions that listen were ended before. */
async function lossesOf({ scenes, databaseUrl }: Pair): Promise<readonly number[]> {
  const [writer, reader] = scenes;
  const [token = ''] = writer.tokens;
  const stream = new EventSocket(reader.port, token);
  await stream.opened;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const waits: number[] = [];
  for (let n = 0; n < LOSSES; n += 1) {
    await pause(1000);
    const event = stream.next();
    await client.query(`SELECT pg_terminate_backend("pid") FROM pg_stat_activity
      WHERE starts_with("application_name", 'jmapsmith push')`);
    const answered = await write(writer.url, token, writer.accountId);
    waits.push(Math.max(0, (await event) - answered));
  }
  stream.close();
  await client.end();
  return waits;
}

async function measureLatency({ commits }: Sizes): Promise<readonly Row[]> {
  const describe = (waits: readonly number[]): string =>
    `p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`;
  const one = await onSqlite(1, (scene) => latencies(scene, scene, commits));
  const [two, lost] = await onPostgresql(async (pair) => {
    const waits = await latencies(...pair.scenes, commits);
    return [waits, await lossesOf(pair)] as const;
  });
  return [
    ['answer of a commit to event, SQLite', describe(one), 'p50 1 ms, p99 10 ms'],
    ['the same between servers, PostgreSQL', describe(two), 'p50 5 ms, p99 50 ms'],
    [
      `the same of ${LOSSES} commits right after both lost their sessions`,
      `p50 ${quantile(lost, 0.5).toFixed(0)} ms, the slowest ${Math.max(...lost).toFixed(0)} ms`,
      '2 s',
    ],
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

const SECONDS = 4;

/** Commits a second of 32 writers at a server. */
async function commitsOf(scene: Scene): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let commits = 0;
  const writer = async (n: number): Promise<void> => {
    const token = scene.tokens[n % scene.tokens.length] ?? '';
    while (performance.now() < end) {
      await write(scene.url, token, scene.accountId);
      commits += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, n) => writer(n)));
  return commits / SECONDS;
}

const ROUNDS = 15;
/** Servers that don't tell each other of commits, and compare once a minute. */
const SILENT = { PUSH_BUS: 'poll:60s' };

/**
 * Pairs of servers write in turns, as a machine has fast and slow minutes. Two pairs that tell each
 * other nothing show how far equal ones lie apart.
 */
async function measureWriters(): Promise<readonly Row[]> {
  const postgresql = await startPostgresql();
  const pairs = [
    await startPair(postgresql, 'silent', SILENT),
    await startPair(postgresql, 'told'),
    await startPair(postgresql, 'silent_again', SILENT),
  ];
  const figures: number[][] = pairs.map(() => []);
  try {
    // The first round compiles the code.
    for (let round = -1; round < ROUNDS; round += 1) {
      const turns = pairs.map((pair, n) => ({ pair, n }));
      if (round % 2 === 0) turns.reverse();
      for (const { pair, n } of turns) {
        const commits = await commitsOf(pair.scenes[0]);
        if (round >= 0) figures[n]?.push(commits);
      }
    }
  } finally {
    await Promise.all(pairs.map((pair) => pair.stop()));
    await postgresql.stop();
  }
  const [silent = [], told = [], again = []] = figures;
  const both = silent.map((commits, round) => (commits + (again[round] ?? 0)) / 2);
  /** The median over the rounds of the part that one pair is of another. */
  const share = (part: readonly number[], whole: readonly number[]): string =>
    `${(
      100 *
        quantile(
          part.map((value, round) => value / (whole[round] ?? 0)),
          0.5,
        )
    ).toFixed(1)}%`;
  const each = (values: readonly number[]): string => quantile(values, 0.5).toFixed(0);
  return [
    [
      'commits a second, another server listening',
      `${each(told)}; with none ${each(both)}: ${share(told, both)}`,
      '97%',
    ],
    ['the same twice, with none listening', share(again, silent), ''],
  ];
}

await main(process.argv.slice(2));
