import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from './poll.js';
import { type Binaries, findBinaries, makeOpenFolder } from './postgresql-binaries.js';
import {
  createDatabase,
  dropDatabase,
  freePort,
  type PostgresqlCluster,
  testCluster,
} from './postgresql-cluster.js';
import { askForPostgresql } from './postgresql-of-run.js';

const START_TIMEOUT = 120_000;

/** A PostgreSQL for the tests of a file. */
export interface PostgresqlServer {
  /**
   * Makes an empty database whose name begins so; resolves to its URL, as DATABASE_URL takes it.
   */
  createDatabase(name: string): Promise<string>;
}

/** A PostgreSQL of a test file's own. */
export interface OwnPostgresql extends PostgresqlServer {
  /**
   * SIGKILL of its first process, the postmaster; resolves when it is gone. `start` has it recover.
   */
  kill(): Promise<void>;
  /** An orderly end; clients are cut off. */
  stop(): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /**
   * Starts another server on a copy of the data of this one, which is stopped: a standby that has
   * every commit, promoted. Resolves to its port.
   */
  startCopy(): Promise<number>;
}

let databases = 0;

/**
 * Databases in the PostgreSQL that all files of a run share, removed after the tests of a file. It
 * is the package's, or that of the folder which POSTGRESQL_BIN names (test/README.md, Versions).
 */
export function usePostgresql(): () => PostgresqlServer {
  let port: number | undefined;
  const made: string[] = [];

  beforeAll(async () => {
    port = await askForPostgresql();
  }, START_TIMEOUT);

  afterAll(async () => {
    if (port !== undefined) for (const name of made.splice(0)) await dropDatabase(port, name);
  });

  return () => ({
    createDatabase(name) {
      if (port === undefined) throw new Error('PostgreSQL is there inside tests only.');
      databases += 1;
      const unique = `${name}_${process.pid}_${databases}`;
      made.push(unique);
      return createDatabase(port, unique);
    },
  });
}

/**
 * Starts a PostgreSQL before the tests of a file and removes it after them: for tests that stop it,
 * or change what all its databases share.
 */
export function useOwnPostgresql(): () => OwnPostgresql {
  const folder = makeOpenFolder('jmapsmith-postgresql-');
  let binaries: Binaries | undefined;
  let cluster: PostgresqlCluster | undefined;
  const copies: { readonly folder: string; readonly cluster: PostgresqlCluster }[] = [];

  beforeAll(async () => {
    binaries = findBinaries();
    cluster = testCluster(binaries.folder, folder, await freePort());
    await cluster.create();
  }, START_TIMEOUT);

  afterAll(async () => {
    await cluster?.stop();
    for (const copy of copies) {
      await copy.cluster.stop();
      rmSync(copy.folder, { recursive: true, force: true });
    }
    binaries?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const there = (): PostgresqlCluster => {
    if (cluster === undefined) throw new Error('PostgreSQL is there inside tests only.');
    return cluster;
  };
  return () => ({
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
    async startCopy() {
      if (binaries === undefined) throw new Error('PostgreSQL is there inside tests only.');
      const copy = makeOpenFolder('jmapsmith-postgresql-copy-');
      // With the owner and the mode of each file, which PostgreSQL insists on.
      execFileSync('cp', ['-a', `${folder}/.`, copy]);
      const port = await freePort();
      const standby = testCluster(binaries.folder, copy, port);
      copies.push({ folder: copy, cluster: standby });
      await standby.start();
      return port;
    },
  });
}
