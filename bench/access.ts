import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DESCRIPTOR, TYPES } from './access/project.js';
import { type Ask, createObjects, makeAsk } from './access/writer.js';
import { USING } from './fill.js';
import { textOf } from './jobs/jobs.js';
import { generateLoad, requestText } from './load/generate.js';
import { inTurn } from './measure.js';
import type { Call, Measurement } from './model.js';
import { spread } from './report.js';
import { makeProject, type StartedJmapsmith, startJmapsmith } from './start/jmapsmith.js';
import { type Postgresql, startPostgresql } from './start/postgresql.js';
import { ROOT } from './start/processes.js';

/**
 * Measures calls about a type with access rules beside the same calls about one without. The user
 * sees one object in ten by a rule, and all of the type without rules.
 */

const HELP = `usage: npm run bench -- access [--postgresql] [--objects N] [--rounds N] [--seconds S]

Measures what access rules and shares cost.

  --postgresql  on PostgreSQL in place of SQLite
  --objects N   objects of each type (100000)
  --grants N    objects that one user shares with another (10000)
  --rounds N    rounds of all jobs (5)
  --seconds S   length of one measurement (2)
`;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    postgresql: { type: 'boolean', default: false },
    objects: { type: 'string', default: '100000' },
    grants: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

const WINDOW = 50;
const CHANGES = 100;

interface Job {
  readonly name: string;
  readonly call: (type: string) => Call;
}

interface World {
  readonly server: StartedJmapsmith;
  readonly owner: Ask;
  /** A user who may read the account. */
  readonly reader: { readonly token: string; readonly ask: Ask };
  readonly accountId: string;
}

/** Returns the jobs of the reader: but for totals, the answers of both types are as long. */
async function makeJobs({ owner, reader, accountId }: World): Promise<readonly Job[]> {
  const query = (more: object) => (type: string) =>
    [`${type}/query`, { accountId, limit: WINDOW, ...more }, '0'] as const;
  const byText = [{ property: 'text' }];
  const ids = new Map<string, unknown>();
  const since = new Map<string, unknown>();
  for (const type of TYPES) {
    const [found, all] = await reader.ask(
      [`${type}/query`, { accountId, sort: byText, filter: { text: 'number 1' }, limit: 500 }, '0'],
      [`${type}/get`, { accountId, ids: [] }, '1'],
    );
    // With rules these objects are one in ten of those with such a text.
    const visible = ((found?.[1]['ids'] ?? []) as readonly string[]).slice(0, CHANGES);
    const update = Object.fromEntries(visible.map((id) => [id, { text: 'Changed.' }]));
    await owner([`${type}/set`, { accountId, update }, '0']);
    ids.set(type, visible.slice(0, WINDOW));
    since.set(type, all?.[1]['state']);
  }
  return [
    {
      name: 'query 50, newest first',
      call: query({ sort: [{ property: 'created', isAscending: false }] }),
    },
    { name: 'query 50 by text', call: query({ sort: byText }) },
    {
      name: 'query 50 by text, filtered',
      call: query({ sort: byText, filter: { text: 'number 7' } }),
    },
    { name: 'query 50 by text, total', call: query({ sort: byText, calculateTotal: true }) },
    { name: 'get 50', call: (type) => [`${type}/get`, { accountId, ids: ids.get(type) }, '0'] },
    {
      name: `changes, ${CHANGES}`,
      call: (type) => [`${type}/changes`, { accountId, sinceState: since.get(type) }, '0'],
    },
  ];
}

async function measureJob(
  world: World,
  { name, token, call }: { name: string; token: string; call: (n: number) => Call },
): Promise<Measurement> {
  const { url, pid } = world.server;
  const textOfRequest = (n: number): Buffer =>
    requestText('POST', '/jmap', token, { using: USING, methodCalls: [call(n)] });
  return generateLoad({
    ...{ port: Number(new URL(url).port), pid, connections: 1, warmUp: 0.3 },
    seconds: Number(values.seconds),
    requests: (n) => [textOfRequest(n)],
    check: (bodies) => {
      for (const answer of bodies)
        if (answer.includes('"error"') || answer.includes('"notCreated":{'))
          throw new Error(`${name}: ${answer.toString()}`);
    },
  });
}

/** Measures each job of both types in turns, and prints a row for it. */
async function measureJobs(world: World): Promise<void> {
  const { reader, accountId, server } = world;
  const jobs = [
    ...(await makeJobs(world)).map((job) => ({ ...job, token: reader.token })),
    {
      name: 'create 1',
      token: server.token,
      call: (type: string): Call => [
        `${type}/set`,
        { accountId, create: { c: { text: 'One more.' } } },
        '0',
      ],
    },
  ];
  print('job', 'without rules, ms', 'with rules, ms', 'times', 'times of processor time');
  print('---', '---', '---', '---', '---');
  for (const { name, token, call } of jobs) {
    const all = new Map<string, Measurement[]>(TYPES.map((type) => [type, []]));
    for (let round = 0; round < Number(values.rounds); round += 1)
      for (const type of inTurn(TYPES, round))
        all.get(type)?.push(await measureJob(world, { name, token, call: () => call(type) }));
    const [plain, ruled] = TYPES.map((type) => {
      const measured = all.get(type) ?? [];
      const time = spread(measured.map(({ p50 }) => p50))?.median ?? 0;
      return { time, cpu: spread(measured.flatMap(({ cpu }) => cpu ?? []))?.median ?? 0 };
    }) as [Figures, Figures];
    const times = (ruled.time / plain.time).toFixed(2);
    const cpu = (ruled.cpu / plain.cpu).toFixed(2);
    print(name, plain.time.toFixed(2), ruled.time.toFixed(2), times, cpu);
  }
}

interface Figures {
  readonly time: number;
  readonly cpu: number;
}

/** Shares one list that all objects of an account are in; prints how long that takes. */
async function measureSharing({ server, owner, reader }: World, objects: number): Promise<void> {
  const accountId = server.accountIds.huge;
  const readerId = await idOfUser(server, 'reader');
  const [listId = ''] = await createObjects(owner, { type: 'List', accountId, count: 1 }, () => ({
    name: 'All',
  }));
  const at = { type: 'Todo', accountId, count: objects };
  await createObjects(owner, at, (n) => ({ text: textOf(n), listId }));
  const share = (rights: object | null) =>
    timed(() =>
      owner(['List/set', { accountId, update: { [listId]: { shareWith: rights } } }, '0']),
    );
  const shared = await share({ [readerId]: { mayRead: true } });
  const first = await timed(() => reader.ask(['Todo/query', { accountId, limit: WINDOW }, '0']));
  const revoked = await share(null);
  print(`share a list of ${objects} objects`, shared.toFixed(1));
  print('first query of it, newest first', first.toFixed(1));
  print('revoke it', revoked.toFixed(1));
}

/** Shares many lists with one user; prints what the user's calls take then. */
async function measureGrants({ server, owner, reader }: World, grants: number): Promise<void> {
  const accountId = server.accountIds.scratch;
  const readerId = await idOfUser(server, 'reader');
  const rights = { [readerId]: { mayRead: true } };
  const list = (n: number) => ({ name: `List ${n}`, shareWith: rights });
  const lists = await createObjects(owner, { type: 'List', accountId, count: grants }, list);
  const at = { type: 'Todo', accountId, count: grants };
  await createObjects(owner, at, (n) => ({ text: textOf(n), listId: lists[n] }));
  const [found] = await reader.ask(['Todo/query', { accountId, limit: WINDOW }, '0']);
  const [all] = await reader.ask(['Todo/get', { accountId, ids: [] }, '0']);
  const calls: readonly Call[] = [
    ['Todo/query', { accountId, limit: WINDOW }, '0'],
    ['Todo/query', { accountId, limit: WINDOW, sort: [{ property: 'text' }] }, '0'],
    ['Todo/get', { accountId, ids: found?.[1]['ids'] }, '0'],
    ['Todo/changes', { accountId, sinceState: all?.[1]['state'] }, '0'],
  ];
  for (const call of calls) {
    const times: number[] = [];
    for (let n = 0; n < 20; n += 1) times.push(await timed(() => reader.ask(call)));
    const median = spread(times)?.median ?? 0;
    print(`${call[0]} of a user with ${grants} grants`, median.toFixed(1));
  }
}

/** Resolves to milliseconds. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

async function idOfUser(server: StartedJmapsmith, name: string): Promise<string> {
  const users = await server.tool('user', 'list');
  const line = users.split('\n').find((one) => one.includes(name));
  if (line === undefined) throw new Error(`There is no user ${name}:\n${users}`);
  return line.split(' ')[0] as string;
}

function print(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-access-'));
  const postgresql: Postgresql | null = values.postgresql ? await startPostgresql() : null;
  try {
    const project = await makeProject(join(folder, 'project'), ROOT, DESCRIPTOR);
    const databaseUrl = await postgresql?.createDatabase('access');
    const server = await startJmapsmith({
      ...{ name: 'jmapsmith', folder, root: ROOT, project, nodeOptions: [] },
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
    try {
      await measureServer(server, postgresql);
    } finally {
      await server.stop();
    }
  } finally {
    await postgresql?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureServer(
  server: StartedJmapsmith,
  postgresql: Postgresql | null,
): Promise<void> {
  const { tool } = server;
  const accountId = server.accountIds.big;
  await tool('account', 'create', '--name', 'Reader', '--user', 'reader');
  await tool('account', 'grant', accountId, '--user', 'reader', '--read-only');
  const token = await tool('token', 'create', '--user', 'reader');
  const reader = { token, ask: makeAsk(server.url, token) };
  const world = { server, accountId, reader, owner: makeAsk(server.url, server.token) };
  const count = Number(values.objects);
  process.stderr.write(`storing ${count} objects of each type\n`);
  for (const type of TYPES)
    await createObjects(world.owner, { type, accountId, count }, (n) => ({
      text: textOf(n),
      public: n % 10 === 3,
    }));
  await postgresql?.settle();
  await measureJobs(world);
  print('what', 'ms');
  print('---', '---');
  await measureSharing(world, count);
  await measureGrants(world, Number(values.grants));
}

if (values.help) process.stdout.write(HELP);
else await main();
