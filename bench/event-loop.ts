import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fill } from './fill.js';
import { type LoopReport, readLoopReport, WATCH_LOOP } from './load/event-loop-report.js';
import type { Accounts, Call, Server } from './model.js';
import { startJmapsmith } from './start/jmapsmith.js';
import { startPostgresql } from './start/postgresql.js';
import { ROOT, run as runTool } from './start/processes.js';

/**
 * How long anything keeps the event loop of the server from all other requests: each kind of load
 * alone, then all together. It counts the processor time between two turns
 * (load/watch-event-loop.mjs), which other programs on the machine don't change. It also has the
 * time by the clock, as the server's own `/metrics` tells it: `nodejs_eventloop_lag_max_seconds`,
 * in which Node counts the 10 ms that it measures in.
 */

const HELP = `usage: npm run bench -- event-loop [--seconds S] [--objects N] [--only NAME]
       [--trace MS] [--postgresql]

Measures how long anything blocks the server's event loop.

  --seconds S   length of each measurement (5)
  --objects N   in the account that is scanned, in thousands (200)
  --only NAME   measures this kind alone ("all": everything at once)
  --postgresql  a server on PostgreSQL
  --trace MS    tells what ran in the longest turns beyond so many ms; profiling takes time itself
`;

interface Load {
  readonly name: string;
  /** Requests of this kind at once. */
  readonly clients: number;
  body(n: number): string;
}

interface Lag extends LoopReport {
  readonly wall: number;
}

const CORE = 'urn:ietf:params:jmap:core';
const USING = [CORE, 'urn:example:todos'];
const LARGE = 9_900_000;

function request(...methodCalls: readonly Call[]): string {
  return JSON.stringify({ using: USING, methodCalls });
}

function loads({ big, scratch }: Accounts): readonly Load[] {
  const scan = (n: number, more: object): string => {
    const filter = { text: `no such text ${n}` };
    return request(['Todo/query', { accountId: big.id, filter, ...more }, '0']);
  };
  const text = 'x'.repeat(300);
  const many = <T>(value: (index: number) => T): Record<string, T> =>
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, value(index)]));
  const created = request([
    'Todo/set',
    { accountId: scratch.id, create: many((index) => ({ text: `${text} ${index}` })) },
    '0',
  ]);
  const ids = scratch.ids.slice(0, 1000);
  const updated = (n: number): string =>
    request([
      'Todo/set',
      {
        accountId: scratch.id,
        update: Object.fromEntries(ids.map((id) => [id, { text: `${text} ${n}` }])),
      },
      '0',
    ]);
  // Many small values: what takes longest to parse of as many octets.
  const item = { a: [1, 2, 3], b: 'text', c: true, d: { e: null } };
  const count = Math.floor(LARGE / (JSON.stringify(item).length + 1));
  const values = request(['Core/echo', { list: Array.from({ length: count }, () => item) }, '0']);
  const texts = request(['Core/echo', { text: 'x'.repeat(LARGE) }, '0']);
  return [
    { name: 'Core/echo', clients: 1, body: () => request(['Core/echo', {}, '0']) },
    { name: 'scans', clients: 4, body: (n) => scan(n, { sort: [{ property: 'text' }] }) },
    {
      name: 'deep pages and totals',
      clients: 2,
      body: () =>
        request([
          'Todo/query',
          {
            accountId: big.id,
            position: 150_000,
            calculateTotal: true,
            sort: [{ property: 'text' }],
          },
          '0',
        ]),
    },
    { name: 'create 1,000', clients: 2, body: () => created },
    { name: 'update 1,000', clients: 2, body: updated },
    {
      name: 'get 1,000',
      clients: 2,
      body: () => request(['Todo/get', { accountId: scratch.id, ids }, '0']),
    },
    { name: '10 MB, one text', clients: 1, body: () => texts },
    { name: '10 MB of small values', clients: 1, body: () => values },
  ];
}

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: { type: 'string', default: '5' },
      objects: { type: 'string', default: '200' },
      only: { type: 'string' },
      trace: { type: 'string' },
      postgresql: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const seconds = Number(values.seconds);
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-event-loop-'));
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const file = join(folder, 'loop.json');
  process.env['LOOP_FILE'] = file;
  if (values.trace !== undefined) process.env['LOOP_TRACE'] = values.trace;
  const postgresql = values.postgresql ? await startPostgresql() : null;
  const databaseUrl = await postgresql?.createDatabase('event_loop');
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, nodeOptions: WATCH_LOOP },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const measured = { server, file };
  try {
    const sizes = { small: 0, big: Number(values.objects) * 1000, scratch: 1000, huge: 0 };
    const all = loads(await fill(server, sizes));
    await pause(1000);
    process.stdout.write(
      '| load | requests | p99 ms | longest ms | over 50 ms | longest, by the clock |\n' +
        '|---|---|---|---|---|---|\n',
    );
    const small = all.filter(({ name }) => name !== '10 MB of small values');
    const rows = [
      ...all.map((load) => ({ name: load.name, kinds: [load], length: seconds })),
      { name: 'all but 10 MB of small values', kinds: small, length: seconds * 2 },
      { name: 'all', kinds: all, length: seconds * 2 },
    ];
    for (const { name, kinds, length } of rows) {
      if (values.only === undefined || values.only === name)
        await measure(measured, name, kinds, length);
    }
  } finally {
    await server.stop();
    await postgresql?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  { server, file }: { readonly server: Server; readonly file: string },
  name: string,
  kinds: readonly Load[],
  seconds: number,
): Promise<void> {
  // Code is compiled, statements prepared, threads started.
  await drive(server, kinds, 0.5);
  await lag(server, file);
  const done = await drive(server, kinds, seconds);
  const { p99, longest, over, wall, traces } = await lag(server, file);
  const figures = [done, ...[p99, longest].map((ms) => ms.toFixed(1)), over, wall.toFixed(1)];
  process.stdout.write(`| ${[name, ...figures].join(' | ')} |\n`);
  for (const { ms, parts } of traces) {
    process.stdout.write(`\n${ms.toFixed(1)} ms\n`);
    for (const [part, time] of parts) process.stdout.write(`  ${time.toFixed(1)} ${part}\n`);
  }
}

/** Resolves to how many requests were answered. */
async function drive(server: Server, kinds: readonly Load[], seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const client = async ({ name, body }: Load): Promise<void> => {
    while (performance.now() < end) {
      done += 1;
      const headers = {
        Authorization: `Bearer ${server.token}`,
        'Content-Type': 'application/json',
      };
      const response = await fetch(`${server.url}/jmap`, {
        ...{ method: 'POST', headers, body: body(done) },
      });
      const answer = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200 || answer.subarray(0, 100).includes('"error"'))
        throw new Error(`${name}: ${response.status} ${answer.toString('utf8', 0, 300)}`);
    }
  };
  const clients = kinds.flatMap((kind) => Array.from({ length: kind.clients }, () => kind));
  await Promise.all(clients.map(client));
  return done;
}

/** Since it was asked for the last time, ms. */
async function lag(server: Server, file: string): Promise<Lag> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const found = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  return { ...(await readLoopReport(server.pid, file)), wall: Number(found ?? Number.NaN) * 1000 };
}

await main(process.argv.slice(2));
