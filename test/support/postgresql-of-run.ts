import { rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BINARIES, findBinaries, makeOpenFolder } from './postgresql-binaries.js';
import { freePort, testCluster } from './postgresql-cluster.js';

/** Where the PostgreSQL of the run is asked for: set by the global setup. */
const ADDRESS = 'JMAPSMITH_TEST_POSTGRESQL';

/** The PostgreSQL of a run, in the process of the global setup. */
export interface PostgresqlOfRun {
  /** Starts it where it isn't yet; rejects with one line that says what to do. */
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Started {
  readonly port: number;
  end(): Promise<void>;
}

/**
 * Offers one PostgreSQL to all files of a run: it starts when the first one asks for it, and ends
 * with the run, whatever becomes of a worker.
 */
export async function offerPostgresql(): Promise<PostgresqlOfRun> {
  let starting: Promise<Started> | undefined;
  const start = (): Promise<Started> => {
    starting ??= startCluster();
    return starting;
  };
  const answer = async (response: ServerResponse): Promise<void> => {
    try {
      response.end(String((await start()).port));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.message : String(error));
    }
  };
  const server = createServer((_, response) => void answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    start: async () => void (await start()),
    async close() {
      server.close();
      // One that could not start has nothing to end; who asked for it was told.
      const started = await starting?.catch(() => undefined);
      await started?.end();
    },
  };
}

/** Resolves to the port of the PostgreSQL of the run, in any process of it. */
export async function askForPostgresql(): Promise<number> {
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error('The global setup of the tests did not run.');
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return Number(text);
}

async function startCluster(): Promise<Started> {
  const binaries = findBinaries();
  const folder = makeOpenFolder('jmapsmith-postgresql-');
  const port = await freePort();
  // The servers of several files at once, with their connections.
  const cluster = testCluster(binaries.folder, folder, port, ['-c', 'max_connections=500']);
  const end = async (): Promise<void> => {
    await cluster.stop();
    binaries.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await cluster.create();
  } catch (error) {
    await end();
    throw error;
  }
  // Workers that start later inherit it: those with a PostgreSQL of their own copy no binaries.
  process.env[BINARIES] = binaries.folder;
  return { port, end };
}
