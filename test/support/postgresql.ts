import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from './poll.js';
import { type Binaries, findBinaries, makeOpenFolder } from './postgresql-binaries.js';
import { freePort, type PostgresqlCluster, testCluster } from './postgresql-cluster.js';

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
 * of the folder which POSTGRESQL_BIN names (test/README.md, Versions).
 */
export function usePostgresql(): () => PostgresqlServer {
  const folder = makeOpenFolder('jmapsmith-postgresql-');
  let binaries: Binaries | undefined;
  let cluster: PostgresqlCluster | undefined;
  let port = 0;

  beforeAll(async () => {
    binaries = findBinaries();
    port = await freePort();
    cluster = testCluster(binaries.folder, folder, port);
    await cluster.create();
  }, START_TIMEOUT);

  afterAll(async () => {
    await cluster?.stop();
    binaries?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const there = (): PostgresqlCluster => {
    if (cluster === undefined) throw new Error('PostgreSQL is there inside tests only.');
    return cluster;
  };
  return () => ({
    port,
    createDatabase: (name) => there().createDatabase(name),
    async kill() {
      // Its first line is the process id of the postmaster.
      const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await eventually(() => expect(() => process.kill(Number(pid), 0)).toThrow());
    },
    stop: () => there().stop(),
    // The killed one's processes keep it out until they have noticed.
    start: () => eventually(() => there().start(), START_TIMEOUT),
  });
}
