import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool, type Pool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import { openPrismaStandalone, type PrismaClient } from '../../../src/database/sqlite/prisma.js';
import { runTools } from '../../support/operator.js';
import { ROOT, type RunningServer, type ServerOptions, startServer } from '../../support/server.js';
import { makeIdentity } from '../webpush/sink.js';

/** The certificate of the push services of all seeds, which the servers trust. */
const identity = makeIdentity();
export const { certificate } = identity;

export interface FleetOptions {
  /** Of PostgreSQL; null: SQLite, which one server has for itself. */
  readonly url: string | null;
  readonly servers: number;
  /** How fast the clocks of the servers run: a second takes them a fifth of it where not given. */
  readonly speed?: number;
  readonly server?: ServerOptions;
}

/** Servers of one database, which a test kills and starts again, and the operator's look at it. */
export class Fleet {
  readonly prisma: PrismaClient;
  readonly #folder: string;
  readonly #pool: Pool | null;
  readonly #servers: RunningServer[];
  /** Servers that run, by index. */
  readonly #living = new Set<number>();

  static async start({ url, servers, speed = 5, server = {} }: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-fleet-'));
    writeFileSync(join(folder, 'ca.pem'), identity.authority.ca);
    const preload = new URL('quick-clock.mjs', import.meta.url).href;
    const env = {
      ...{ NODE_OPTIONS: `--import=${preload}`, CLOCK_LONGEST: '40000' },
      ...{ CLOCK_SPEED: String(speed), CLOCK_EPOCH: String(Date.now()) },
      ...{ PUSH_CA: join(folder, 'ca.pem'), PUSH_ALLOW: '127.0.0.0/8' },
      PUSH_CONTACT: 'mailto:operator@example.com',
      // The clients of a seed are few users, and a busy machine is nobody's fault.
      ...{ MAX_CONCURRENT_REQUESTS: '100', REQUEST_TIMEOUT: '120s', HOOK_TIMEOUT: '60s' },
      LEDGER_OUT: join(folder, 'ledger'),
      ...(url === null ? {} : { DATABASE_URL: url }),
      ...server.env,
    };
    const running: RunningServer[] = [];
    for (let n = 0; n < servers; n += 1) running.push(await startServer({ ...server, env }));
    return new Fleet(folder, url, running);
  }

  private constructor(folder: string, url: string | null, servers: readonly RunningServer[]) {
    this.#folder = folder;
    this.#servers = [...servers];
    for (const index of servers.keys()) this.#living.add(index);
    this.#pool = url === null ? null : openPool({ url, size: 2 });
    this.prisma =
      this.#pool === null
        ? openPrismaStandalone(join(this.#servers[0]?.dataDir ?? '', 'jmap.db'))
        : openPrisma(this.#pool);
  }

  get size(): number {
    return this.#servers.length;
  }

  get isShared(): boolean {
    return this.#pool !== null;
  }

  /** The URLs of the servers that run. */
  get urls(): readonly string[] {
    return [...this.#living].map((index) => this.#at(index).url);
  }

  /** Ends a server, by SIGKILL or in an orderly way. */
  async end(index: number, how: 'kill' | 'stop'): Promise<void> {
    this.#living.delete(index);
    await this.#at(index)[how]();
  }

  /** Ends all servers by SIGKILL. */
  async killAll(): Promise<void> {
    await Promise.all([...this.#living].map((index) => this.end(index, 'kill')));
  }

  /** Starts all servers that don't run, on the ports that they had. */
  async startAll(): Promise<void> {
    const dead = [...this.#servers.keys()].filter((index) => !this.#living.has(index));
    await Promise.all(
      dead.map(async (index) => {
        this.#servers[index] = await this.#at(index).restart();
        this.#living.add(index);
      }),
    );
  }

  /**
   * Cuts sessions by which servers hear each other, the oldest first, at most so many. Resolves to
   * how many there were.
   */
  async cutSessions(most = 16): Promise<number> {
    const cut = await this.#pool?.query(
      'SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity ' +
        "WHERE application_name LIKE 'jmapsmith push%' AND datname = current_database() " +
        'ORDER BY backend_start LIMIT $1) AS sessions',
      [most],
    );
    return cut?.rowCount ?? 0;
  }

  /** Runs a command beside the first server, with these variables over its own. */
  async command(
    script: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const all = { ...this.#at(0).env, ...env };
    await runTools({ root: ROOT, env: all, steps: [[script, args]] });
  }

  /** The last lines of the logs of all servers. */
  get log(): string {
    return this.#servers.map((server) => server.stderr().slice(-3000)).join('\n---\n');
  }

  async remove(): Promise<void> {
    await this.prisma.$disconnect();
    await this.#pool?.end();
    await Promise.all(this.#servers.map((server) => server.remove()));
    rmSync(this.#folder, { recursive: true });
  }

  #at(index: number): RunningServer {
    const server = this.#servers[index];
    if (server === undefined) throw new Error(`There is no server ${index}.`);
    return server;
  }
}
