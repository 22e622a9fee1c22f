import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { todoType } from '../generated/todos/Todo.definition.js';
import { migrate, openPool, type Pool } from '../src/database/postgresql/index.js';
import { compileQuery } from '../src/methods/query/query-plan.js';
import { indexOf } from '../src/methods/type-index.js';
import { Conductor } from '../src/runtime/slices.js';
import type { Store as Engine, StoredObject } from '../src/store/port.js';
import { createPostgresqlStore } from '../src/store/postgresql/index.js';
import { cpuTime } from './load/process-figures.js';
import { openStore } from './servers/pg-store.js';
import { type Store as ByHand, newId } from './servers/todos.js';
import { startPostgresql } from './start/postgresql.js';

/**
 * Measures a call between the store and PostgreSQL, without HTTP and JMAP, beside the same call by
 * hand (servers/pg-store.ts), in turns. The figure is the processor time of this process and of
 * PostgreSQL's, with 16 calls at a time. On a machine that does other things, too, it says more
 * than calls per second.
 */

const HELP = `usage: npm run bench -- store-pg [--rounds N] [--calls N]

Measures the store on PostgreSQL beside the same by hand: processor time for each call.

  --rounds N   in turns (3)
  --calls N    calls of each job and round (2000)
`;
const AT_ONCE = 16;
const OBJECTS = 10_000;
const ACCOUNT = 'bench-account';
const MIGRATIONS = fileURLToPath(new URL('../prisma/postgresql/migrations', import.meta.url));

interface Job {
  readonly name: string;
  engine(n: number): unknown;
  byHand(n: number): unknown;
}

function jobs(engine: Engine, store: ByHand, ids: readonly string[], own: readonly string[]) {
  const { properties } = todoType;
  const asked = () => ({
    accountId: ACCOUNT,
    type: todoType,
    deadline: performance.now() + 30_000,
  });
  const compiled = (filter: object, property: string, isAscending: boolean) =>
    compileQuery(indexOf(todoType), { ...filter }, [{ property, isAscending }]).plan;
  const newest = compiled({ done: false }, 'created', false);
  const rare = compiled({ text: 'number 77', done: false }, 'text', true);
  const selection = { properties, maxOctets: 1e9 };
  const get = (of: readonly string[]): Promise<unknown> =>
    engine.readObjects({ ...asked(), ids: of, ...selection });
  const window = { position: 0, limit: 50 };
  const query = (plan: typeof newest): Promise<unknown> =>
    engine.readPage({ ...asked(), plan, window, selection });
  const page = (from: readonly string[], n: number, count: number) => {
    const first = (n * 7) % (OBJECTS - count);
    return from.slice(first, first + count);
  };
  const time = new Date().toISOString().replace(/\.\d+/, '');
  const writing = (kind: 'created' | 'updated', { id }: StoredObject) => ({
    ...asked(),
    ...(kind === 'updated' ? { expects: { type: todoType, ids: [id] } } : {}),
  });
  const write = (kind: 'created' | 'updated', object: StoredObject): Promise<unknown> =>
    engine.write(ACCOUNT, writing(kind, object), async (transaction) => {
      await transaction.stateNumber(todoType);
      if (kind === 'updated') {
        await transaction.get(todoType, [object.id], properties, 1e9);
        await transaction.writeRows('update', todoType, [object]);
      } else await transaction.writeRows('insert', todoType, [object]);
      await transaction.record(todoType, [{ objectId: object.id, kind }]);
    });
  const todo = (id: string, text: string) => {
    return { id, text, done: false, created: time, updated: time };
  };
  return [
    {
      name: 'get 1',
      engine: (n) => get(page(ids, n, 1)),
      byHand: (n) => store.getMany(ACCOUNT, page(own, n, 1)),
    },
    {
      name: 'get 100',
      engine: (n) => get(page(ids, n, 100)),
      byHand: (n) => store.getMany(ACCOUNT, page(own, n, 100)),
    },
    {
      name: 'query: the newest 50',
      engine: () => query(newest),
      byHand: () => store.list(ACCOUNT, { done: false, sort: '-created', limit: 50 }),
    },
    {
      name: 'query: by text, 50 of 10,000',
      engine: () => query(rare),
      byHand: () =>
        store.list(ACCOUNT, { text: 'number 77', done: false, sort: 'text', limit: 50 }),
    },
    {
      name: 'changes: 100 records',
      engine: () => engine.readChanges({ ...asked(), since: OBJECTS / 2, limit: 100 }),
      byHand: () => store.changes(ACCOUNT, OBJECTS / 2, 100),
    },
    {
      name: 'create 1',
      engine: (n) => write('created', todo(newId(Date.now()), `New ${n}`)),
      byHand: (n) => store.create(ACCOUNT, [{ text: `New ${n}` }]),
    },
    {
      name: 'update 1',
      engine: (n) => write('updated', todo(ids[n % OBJECTS] ?? '', `Changed ${n}`)),
      byHand: (n) => store.update(ACCOUNT, own[n % OBJECTS] ?? '', { text: `Changed ${n}` }),
    },
  ] satisfies readonly Job[];
}

/** Microseconds for each call: of this process, and of PostgreSQL's. */
interface Cost {
  readonly node: number;
  readonly postgresql: number;
}

async function measured(pool: Pool, calls: number, run: (n: number) => unknown): Promise<Cost> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < calls) await run(next++);
  };
  const all = () => Promise.all(Array.from({ length: AT_ONCE }, caller));
  next = calls - AT_ONCE * 8;
  await all();
  const { rows } = await pool.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
  );
  const servers = async (): Promise<number> => {
    const times = await Promise.all(rows.map(({ pid }) => cpuTime(pid).catch(() => 0)));
    return times.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  };
  const before = await servers();
  const cpu = process.cpuUsage();
  next = 0;
  await all();
  const { user, system } = process.cpuUsage(cpu);
  const after = await servers();
  return { node: (user + system) / calls, postgresql: (after - before) / calls };
}

async function measure(rounds: number, calls: number): Promise<void> {
  const server = await startPostgresql();
  try {
    const [url, other] = [await server.createDatabase('ours'), await server.createDatabase('own')];
    const pool = openPool({ url, size: 1 });
    await migrate(pool, MIGRATIONS);
    await pool.query(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ($1, 'a', 'u', 1)`,
      [ACCOUNT],
    );
    const engine = createPostgresqlStore({
      conductor: new Conductor(),
      pool: openPool({ url, size: 16, pipeline: true }),
      types: [todoType],
    });
    const store = await openStore(other, 'hash', [ACCOUNT]);
    const [ids, own] = await fill(engine, store);
    await pool.query('ANALYZE');
    const costs = new Map<string, readonly [Cost[], Cost[]]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const job of jobs(engine, store, ids, own)) {
        const kept = costs.get(job.name) ?? [[], []];
        costs.set(job.name, kept);
        kept[0].push(await measured(pool, calls, job.engine));
        kept[1].push(await measured(pool, calls, job.byHand));
      }
    }
    process.stdout.write(report(costs));
    await Promise.all([engine.close(), store.close(), pool.end()]);
    // The driver says that a pool is closed before its connections are.
    await pause(200);
  } finally {
    await server.stop();
  }
}

async function fill(engine: Engine, store: ByHand) {
  const ids: string[] = [];
  const own: string[] = [];
  const time = '2026-01-01T00:00:00Z';
  for (let first = 0; first < OBJECTS; first += 500) {
    const texts = Array.from({ length: 500 }, (_, index) => `Thing number ${first + index}`);
    const objects = texts.map((text) => {
      return { id: newId(Date.now()), text, done: false, created: time, updated: time };
    });
    await engine.write(ACCOUNT, { deadline: performance.now() + 30_000 }, async (transaction) => {
      await transaction.writeRows('insert', todoType, objects);
      const created = objects.map(({ id }) => ({ objectId: id, kind: 'created' as const }));
      await transaction.record(todoType, created);
    });
    ids.push(...objects.map(({ id }) => id));
    const { todos } = await store.create(
      ACCOUNT,
      texts.map((text) => ({ text })),
    );
    own.push(...todos.map(({ id }) => id));
  }
  return [ids, own] as const;
}

function report(costs: ReadonlyMap<string, readonly [readonly Cost[], readonly Cost[]]>): string {
  const rows = [...costs].map(([name, [ours, byHand]]) => {
    const sum = ({ node, postgresql }: Cost): number => node + postgresql;
    const ratio = median(ours.map((cost, at) => sum(byHand[at] ?? cost) / sum(cost)));
    const figures = [ours, byHand].map((each) => {
      const node = median(each.map((cost) => cost.node));
      return `${node.toFixed(0)} + ${median(each.map((cost) => cost.postgresql)).toFixed(0)}`;
    });
    return `| ${name} | ${figures.join(' | ')} | ${ratio.toFixed(2)} |`;
  });
  const head = [
    '| call | store: µs here + in PostgreSQL | by hand | by hand / store |',
    '|---|---|---|---|',
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    calls: { type: 'string', default: '2000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await measure(Number(values.rounds), Number(values.calls));
