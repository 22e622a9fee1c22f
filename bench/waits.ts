import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { readLoopReport, WATCH_LOOP } from './load/event-loop-report.js';
import { startPostgresql } from './start/postgresql.js';
import { ROOT, run as runTool } from './start/processes.js';
import { Client } from './waits/client.js';
import { WAIT_KINDS, type WaitKind } from './waits/kinds.js';
import { startWaitsServer, USING, type WaitsServer } from './waits/project.js';

/**
 * How long one request keeps another user waiting. One user sends a request of each kind that is as
 * large, or asks for as much, as the server lets it. Meanwhile another user asks for one object,
 * uploads one octet and asks for /healthz, again and again. "Idle" is the longest of these waits
 * while nothing else runs: the machine's share. "Turn" is the longest turn of the server's event
 * loop in processor time, which other programs don't change.
 */

const HELP = `usage: npm run bench -- waits [--only TEXT] [--from TEXT] [--postgresql] [--sqlite]
                              [--trace MS]

Measures how long a request of one user keeps another user waiting.

  --only TEXT   kinds whose name has the text
  --from TEXT   leaves out the kinds before the first whose name has the text
  --sqlite      a server on SQLite alone
  --postgresql  a server on PostgreSQL alone
  --trace MS    tells what ran in the longest turns beyond so many ms; profiling takes time itself
`;

/** The longest wait that the project promises, ms. */
const MOST = 100;
/** How long the machine's share is measured, ms. */
const IDLE = 400;

type Waits = Readonly<Record<'get' | 'upload' | 'healthz', number>>;

interface Row {
  readonly name: string;
  readonly took: number;
  readonly waits: Waits;
  readonly idle: Waits;
  readonly turn: number;
}

/** The server, what it writes of its turns, and who polls it. */
interface Scene {
  readonly server: WaitsServer;
  readonly client: Client;
  readonly file: string;
  readonly poller: Worker;
}

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string', default: '' },
      from: { type: 'string', default: '' },
      sqlite: { type: 'boolean', default: false },
      postgresql: { type: 'boolean', default: false },
      trace: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const first = WAIT_KINDS.findIndex(({ name }) => name.includes(values.from));
  const kinds = WAIT_KINDS.slice(first).filter(({ name }) => name.includes(values.only));
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  if (values.trace !== undefined) process.env['LOOP_TRACE'] = values.trace;
  const isBoth = values.sqlite === values.postgresql;
  if (isBoth || values.sqlite) await measureAll('SQLite', null, kinds);
  if (isBoth || values.postgresql) {
    const postgresql = await startPostgresql();
    try {
      await measureAll('PostgreSQL', await postgresql.createDatabase('waits'), kinds);
    } finally {
      await postgresql.stop();
    }
  }
}

async function measureAll(
  database: string,
  databaseUrl: string | null,
  kinds: readonly WaitKind[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-waits-'));
  const file = join(folder, 'loop.json');
  process.env['LOOP_FILE'] = file;
  const server = await startWaitsServer(folder, databaseUrl, WATCH_LOOP);
  const poller = new Worker(new URL('./load/poll.mjs', import.meta.url), {
    workerData: { polls: await pollsOf(server) },
  });
  try {
    await pause(1000);
    process.stdout.write(
      `\n| ${database} | took ms | get waits | upload waits | healthz waits | idle | ` +
        'turn, processor ms | met |\n|---|---|---|---|---|---|---|---|\n',
    );
    const scene = { server, client: new Client(server), file, poller };
    for (const kind of kinds) tell(await measure(scene, kind));
  } finally {
    await poller.terminate();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The requests of the other user: `get` reads one object. */
async function pollsOf({ url, other }: WaitsServer): Promise<readonly object[]> {
  const { token, accountId } = other;
  const authorization = { Authorization: `Bearer ${token}` };
  const json = { ...authorization, 'Content-Type': 'application/json' };
  const call = (name: string, args: object): string =>
    JSON.stringify({ using: USING, methodCalls: [[name, { accountId, ...args }, '0']] });
  const post = { method: 'POST', headers: json };
  const made = await fetch(`${url}/jmap`, {
    ...post,
    body: call('Sheet/set', { create: { k: { title: 'polled' } } }),
  });
  const { methodResponses } = (await made.json()) as {
    methodResponses: [string, { created: { k: { id: string } } }, string][];
  };
  const id = methodResponses[0]?.[1].created.k.id;
  return [
    { name: 'get', ...post, url: `${url}/jmap`, body: call('Sheet/get', { ids: [id] }) },
    {
      ...{ name: 'upload', method: 'POST', url: `${url}/jmap/upload/${accountId}` },
      ...{ headers: { ...authorization, 'Content-Type': 'text/plain' }, body: 'x' },
    },
    { name: 'healthz', method: 'GET', url: `${url}/healthz`, headers: {} },
  ];
}

async function measure({ server, client, file, poller }: Scene, kind: WaitKind): Promise<Row> {
  const send = await kind.prepare(client);
  await pause(200);
  poller.postMessage('begin');
  await pause(IDLE);
  const idle = await waitsOf(poller);
  await readLoopReport(server.pid, file);
  poller.postMessage('begin');
  const begun = performance.now();
  await send();
  const took = performance.now() - begun;
  // The work that follows an answer counts as well.
  await pause(200);
  const waits = await waitsOf(poller);
  const turns = await readLoopReport(server.pid, file);
  for (const { ms, parts } of turns.traces) {
    process.stdout.write(`\n${ms.toFixed(1)} ms\n`);
    for (const [part, time] of parts) process.stdout.write(`  ${time.toFixed(1)} ${part}\n`);
  }
  return { name: kind.name, took, waits, idle, turn: turns.longest };
}

function waitsOf(poller: Worker): Promise<Waits> {
  return new Promise((resolve) => {
    poller.once('message', resolve);
    poller.postMessage('end');
  });
}

function tell({ name, took, waits, idle, turn }: Row): void {
  const { get, upload, healthz } = waits;
  const share = Math.max(...Object.values(idle));
  const figures = [took, get, upload, healthz, share, turn].map((ms) => ms.toFixed(0));
  const isMet = Math.max(get, healthz) <= MOST;
  process.stdout.write(`| ${[name, ...figures, isMet ? 'yes' : 'NO'].join(' | ')} |\n`);
}

await main(process.argv.slice(2));
