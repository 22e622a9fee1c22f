import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { eventually } from '../support/poll.js';
import type { RunningServer } from '../support/server.js';

/**
 * Kills of runs that migrate or compute, at places that the runs themselves tell: nothing here is
 * timed.
 */

/** Rows, batches of which a run tells before it is killed, and rows in a batch at most. */
const BATCHES = 5;
const FILLED = 1000;
const COMPUTED = 500;

/** The log grows within a transaction once that is larger than the cache. */
const GROWTH = 1024 * 1024;

type Env = RunningServer['env'];

/** The project's root, the database, and how many books it has. */
export interface Killed {
  readonly root: string;
  readonly server: RunningServer;
  readonly url: string | undefined;
  readonly count: number;
}

/** Runs that migrate are killed; `stdout` is that of the run that ends. */
export async function migrateWithKills(killed: Killed): Promise<string> {
  const { server, url } = killed;
  await (url === undefined ? withinTransaction(killed) : withinBackfill(killed, url));
  const { code, stdout, stderr } = await server.command('scripts/migrate', []);
  if (code !== 0) throw new Error(`migrate ended with ${code}:\n${stdout}\n${stderr}`);
  // Finished work stays done.
  expect(stdout).not.toContain('rows of Volume filled');
  return stdout;
}

/** SQLite has one transaction for all: nothing of it stays. */
async function withinTransaction({ root, server }: Killed): Promise<void> {
  const log = join(server.dataDir, 'jmap.db-wal');
  const size = (): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  for (const _ of [1, 2]) {
    const before = size();
    await killedWhen(root, server.env, 'scripts/migrate', () => size() > before + GROWTH);
    const { stdout } = await server.command('scripts/migrate', ['--status']);
    expect(stdout.match(/^pending /gm)).toHaveLength(1);
  }
}

/** The next run goes on behind the last batch that is in the database, and does what is left. */
async function withinBackfill({ root, server, count }: Killed, url: string): Promise<void> {
  const migrate = (isLast: (output: string) => boolean): Promise<string> =>
    killedWhen(root, server.env, 'scripts/migrate', isLast);
  let stood = 0;
  for (const _ of [1, 2]) {
    await migrate((output) => times(output, 'rows of Volume filled') >= BATCHES);
    const now = await rowsBehind(url, 'backfill:');
    expect(now).toBeGreaterThanOrEqual(stood + BATCHES * FILLED);
    expect(now).toBeLessThan(count);
    stood = now;
  }
  // Killed once all of its rows are done: where indexes are made.
  const output = await migrate((said) => said.includes(`: ${count - stood} rows of Volume filled`));
  expect(output).not.toContain(`: ${count - stood + FILLED} rows of Volume filled`);
  const { stdout } = await server.command('scripts/migrate', ['--status']);
  expect(stdout.match(/^pending /gm)).toHaveLength(1);
}

/** A start that computes is killed; resolves to the server that goes on there. */
export async function computeWithKills(killed: Killed): Promise<RunningServer> {
  const { root, server, count } = killed;
  const env = { ...server.env, LOG_LEVEL: 'info' };
  const said = 'computed for objects';
  await killedWhen(root, env, 'src/server/main', (output) => times(output, said) >= BATCHES);
  const stood = await rowsBehind(killed.url ?? join(server.dataDir, 'jmap.db'), 'compute:');
  // The note of a batch is written behind the batch.
  expect(stood).toBeGreaterThanOrEqual(BATCHES * COMPUTED);
  expect(stood).toBeLessThan(count);
  const next = await server.restart({ LOG_LEVEL: 'info' });
  // The log is written behind what it tells of.
  await eventually(() => {
    const told = [...next.stderr().matchAll(/"rows":(\d+),"msg":"computed for objects"/g)];
    expect(Number(told.at(-1)?.[1])).toBe(count - stood);
  });
  return next;
}

function times(output: string, text: string): number {
  return output.split(text).length - 1;
}

/** How many books are not behind the place that the note says. */
async function rowsBehind(database: string, prefix: string): Promise<number> {
  const [value = '{}'] = await column(
    database,
    `SELECT "value" FROM "JmapMeta" WHERE "key" LIKE '${prefix}%'`,
  );
  const { after } = JSON.parse(String(value)) as { after?: readonly string[] | null };
  const [rows] = await column(
    database,
    `SELECT count(*) FROM "Volume" WHERE ("accountId", "id") <= ('${after?.[0]}', '${after?.[1]}')`,
  );
  return Number(rows);
}

/**
 * The first column of what a statement finds, once the killed process is gone from the database.
 */
async function column(database: string, sql: string): Promise<readonly unknown[]> {
  if (!database.startsWith('postgresql:')) {
    const db = openDatabase({ file: database, readonly: true });
    try {
      return db.prepare(sql).pluck().all();
    } finally {
      db.close();
    }
  }
  const pool = openPool({ url: database, size: 1 });
  try {
    // Its last statement has ended by then: a migration holds the lock, nothing else computes at a
    // start. Locks of two keys are the push shards of a server that runs.
    await eventually(async () => {
      const { rows } = await pool.query<{ busy: string }>(
        `SELECT count(*) AS "busy" FROM pg_locks JOIN pg_stat_activity USING ("pid")
          WHERE "datname" = current_database() AND ("locktype" = 'advisory' AND "objsubid" = 1
           OR ("locktype" = 'transactionid' AND "pid" <> pg_backend_pid()))`,
      );
      expect(Number(rows[0]?.busy)).toBe(0);
    });
    const { rows } = await pool.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.map(([first]) => first);
  } finally {
    await pool.end();
  }
}

/** Runs a program of the project and kills it once `isTime`; rejects where it ends before. */
function killedWhen(
  cwd: string,
  env: Env,
  script: string,
  isTime: (output: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['scripts/run.mjs', script], { cwd, env });
    let output = '';
    const look = (): void => {
      if (isTime(output)) child.kill('SIGKILL');
    };
    const listen = (text: Buffer): void => {
      output += String(text);
      look();
    };
    const timer = setInterval(look, 5);
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('close', (code, signal) => {
      clearInterval(timer);
      if (signal === 'SIGKILL') resolve(output);
      else reject(new Error(`${script} ended with ${code} before it was killed:\n${output}`));
    });
  });
}
