import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { findBinaries, makeOpenFolder } from '../../test/support/postgresql-binaries.js';
import { freePort, PostgresqlCluster } from '../../test/support/postgresql-cluster.js';

export interface Postgresql {
  /** Makes an empty database; resolves to its URL. */
  createDatabase(name: string): Promise<string>;
  /** Does at once for all databases what it does by itself minutes after they were filled. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL of the run's own, with its default settings: each commit is on disk. */
export async function startPostgresql(): Promise<Postgresql> {
  const binaries = findBinaries();
  const folder = makeOpenFolder('jmapsmith-bench-postgresql-');
  const cluster = new PostgresqlCluster({
    binaries: binaries.folder,
    databaseDir: folder,
    port: await freePort(),
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
    postgresFlags: ['-c', 'unix_socket_directories='],
  });
  const stop = async () => {
    await cluster.stop();
    binaries.remove();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await cluster.create();
  } catch (error) {
    await stop();
    throw error;
  }
  const urls: string[] = [];
  return {
    async createDatabase(name) {
      const url = await cluster.createDatabase(name.replaceAll('-', '_'));
      urls.push(url);
      return url;
    },
    async settle() {
      for (const connectionString of urls) {
        const client = new Client({ connectionString });
        await client.connect();
        await client.query('VACUUM (ANALYZE)');
        await client.query('CHECKPOINT');
        await client.end();
      }
    },
    stop,
  };
}
