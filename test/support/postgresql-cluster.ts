import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresqlUser, packageName, postgresqlUser } from './postgresql-binaries.js';

export interface ClusterOptions {
  /** The folder of `postgres` and `initdb`. */
  readonly binaries: string;
  /** An empty folder. PostgreSQL's user gets it, and must be able to enter what is above it. */
  readonly databaseDir: string;
  readonly port: number;
  readonly initdbFlags: readonly string[];
  readonly postgresFlags: readonly string[];
}

const READY = 'database system is ready to accept connections';

/** How initdb ends if the loader of the system doesn't find its libraries. */
const NO_LIBRARIES = 'initdb ended with 127';

/** Far beyond what a busy machine needs: PostgreSQL recovers from a crash meanwhile. */
const START_TIMEOUT = 60_000;

/** One PostgreSQL: its data folder and its process. It ends with the process that started it. */
export class PostgresqlCluster {
  readonly #options: ClusterOptions;
  readonly #user: PostgresqlUser | undefined;
  readonly #log: string[] = [];
  #process: ChildProcess | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#user = postgresqlUser();
  }

  /**
   * Fills the data folder and starts. Rejects with one line that says what failed and what helps.
   */
  async create(): Promise<void> {
    const { binaries, databaseDir } = this.#options;
    try {
      await this.#initialise();
      await this.start();
    } catch (error) {
      const user = this.#user === undefined ? '' : `, as user ${this.#user.name}`;
      const reason = this.#reason(error);
      const advice =
        reason === NO_LIBRARIES
          ? 'It finds no libraries, because npm ran no install scripts. Run npm rebuild ' +
            packageName()
          : 'Set TMPDIR to a folder that every user can enter and run programs in';
      throw new Error(
        `PostgreSQL can't start: ${reason} (binaries in ${binaries}, data in ` +
          `${databaseDir}${user}). ${advice}, or set POSTGRESQL_BIN to the folder of an ` +
          "installed PostgreSQL's binaries.",
      );
    }
  }

  async start(): Promise<void> {
    const { databaseDir, port, postgresFlags } = this.#options;
    const child = this.#run('postgres', ['-D', databaseDir, '-p', String(port), ...postgresFlags]);
    this.#process = child;
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('close', () => process.off('exit', kill));
    const timer = setTimeout(kill, START_TIMEOUT);
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (text: string) => {
        if (text.includes(READY)) resolve();
      });
      child.once('error', reject);
      child.once('close', () => reject(new Error('postgres ended at its start')));
    }).finally(() => clearTimeout(timer));
  }

  /** SIGINT: an orderly end that cuts clients off. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  }

  /** Makes an empty database; resolves to its URL, as DATABASE_URL takes it. */
  createDatabase(name: string): Promise<string> {
    return createDatabase(this.#options.port, name);
  }

  async #initialise(): Promise<void> {
    const { databaseDir, initdbFlags } = this.#options;
    if (this.#user !== undefined) chownSync(databaseDir, this.#user.uid, this.#user.gid);
    const flags = ['-D', databaseDir, '-U', 'postgres', '--auth=trust', ...initdbFlags];
    const [code] = await once(this.#run('initdb', flags), 'close');
    if (code !== 0) throw new Error(`initdb ended with ${String(code)}`);
  }

  #run(program: string, args: readonly string[]): ChildProcess {
    const { binaries, databaseDir } = this.#options;
    const child = spawn(join(binaries, program), args, {
      ...(this.#user === undefined ? {} : { uid: this.#user.uid, gid: this.#user.gid }),
      cwd: databaseDir,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.#log.push(text));
    return child;
  }

  /** The error that a program printed, or else how it ended. */
  #reason(error: unknown): string {
    const lines = this.#log.join('').split('\n');
    const printed = lines.findLast((line) => /\b(error|fatal|panic):/i.test(line));
    return printed?.trim() ?? (error instanceof Error ? error.message : String(error));
  }
}

/**
 * A cluster for tests: what it acknowledged is lost if the machine stops, which tests don't mind.
 */
export function testCluster(
  binaries: string,
  databaseDir: string,
  port: number,
  postgresFlags: readonly string[] = [],
): PostgresqlCluster {
  return new PostgresqlCluster({
    binaries,
    databaseDir,
    port,
    // A collation that is not the bytes': nothing must depend on it.
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories=', ...postgresFlags],
  });
}

/** Makes an empty database; resolves to its URL, as DATABASE_URL takes it. */
export async function createDatabase(port: number, name: string): Promise<string> {
  await execute(port, (quoted) => `CREATE DATABASE ${quoted}`, name);
  return urlOf(port, name);
}

/** Removes a database, and cuts off whoever is connected to it. */
export function dropDatabase(port: number, name: string): Promise<void> {
  return execute(port, (quoted) => `DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`, name);
}

async function execute(port: number, sql: (quoted: string) => string, name: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(port, 'postgres') });
  await client.connect();
  try {
    await client.query(sql(client.escapeIdentifier(name)));
  } finally {
    await client.end();
  }
}

function urlOf(port: number, database: string): string {
  return `postgresql://postgres:password@127.0.0.1:${port}/${database}`;
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
