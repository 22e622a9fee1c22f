import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../support/poll.js';
import { postgresqlUser } from '../../support/postgresql-binaries.js';
import { freePort } from '../../support/postgresql-cluster.js';

/** The machine has no PgBouncer unless somebody has installed it: no package of npm brings one. */
export const HAS_PGBOUNCER = spawnSync('pgbouncer', ['--version']).status === 0;

/** A PgBouncer of the test's own. */
export interface Pooler {
  /** The URL of the database through it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts PgBouncer before the database that `direct` leads to. */
export async function startPooler(
  direct: string,
  mode: 'transaction' | 'session',
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { port: server, pathname } = new URL(direct);
  const users = join(folder, 'users.txt');
  writeFileSync(users, '"postgres" ""\n');
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
`,
  );
  const user = postgresqlUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  // As root it refuses to run.
  const child = spawn('pgbouncer', [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  const url = `postgresql://postgres:password@127.0.0.1:${port}${pathname}`;
  await eventually(async () => {
    const client = new pg.Client({
      connectionString: url.replace(pathname, '/postgres'),
      connectionTimeoutMillis: 2000,
    });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  });
  return {
    url,
    async close() {
      await kill(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
