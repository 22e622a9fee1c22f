import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/poll.js';
import { useOwnPostgresql } from '../support/postgresql.js';
import { expectServed, expectSound, type Rig, startRig } from './rig.js';

const postgresql = useOwnPostgresql();

/** Connections of the server's pools (src/server/storage-postgresql.ts) at the most. */
const POOLS = 24;

describe('PostgreSQL fails under sixteen writers; the server goes on by itself', () => {
  let rig: Rig;
  let url: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    url = await postgresql().createDatabase('faults');
    rig = await startRig({ DATABASE_URL: url });
  });
  afterAll(() => rig.server.remove());
  beforeEach(async () => {
    stop = rig.load.start(rig.server.url);
    await expectServed(rig.load);
  });

  /**
   * Expects that acknowledged writes are there, that nothing is half there, and that no connection
   * was left behind.
   */
  async function expectRecovered(): Promise<void> {
    await expectServed(rig.load);
    await stop();
    await expectSound(rig);
    const open = await activity(url);
    expect(open.length).toBeLessThanOrEqual(POOLS);
    await eventually(async () =>
      expect((await activity(url)).filter(({ state }) => state !== 'idle')).toEqual([]),
    );
  }

  it('kill -9 of the postmaster, three times: calls are refused, no write is lost', async () => {
    for (let round = 0; round < 3; round += 1) {
      await expectServed(rig.load);
      const before = rig.load.count('serverUnavailable') + rig.load.count('503');
      await postgresql().kill();
      await eventually(() =>
        expect(rig.load.count('serverUnavailable') + rig.load.count('503')).toBeGreaterThan(before),
      );
      await postgresql().start();
    }
    await expectRecovered();
  });

  it('kill -9 of a backend, three times: PostgreSQL cuts all others off and recovers', async () => {
    for (let round = 0; round < 3; round += 1) {
      const busy = await eventually(async () => {
        const found = (await activity(url)).find(({ state }) => state !== 'idle');
        if (found === undefined) throw new Error('Nothing runs.');
        return found;
      });
      process.kill(busy.pid, 'SIGKILL');
      await eventually(() => activity(url));
      await expectServed(rig.load);
    }
    await expectRecovered();
  });

  it('an orderly restart of PostgreSQL', async () => {
    await postgresql().stop();
    await postgresql().start();
    await expectRecovered();
  });

  it('backends that are terminated by an administrator, ten times', async () => {
    for (let round = 0; round < 10; round += 1) {
      await query(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'jmapsmith' AND datname = current_database()`,
      );
      await expectServed(rig.load, 5);
    }
    await expectRecovered();
  });
});

interface Backend {
  readonly pid: number;
  readonly state: string;
}

/** The server's connections to PostgreSQL. */
function activity(url: string): Promise<readonly Backend[]> {
  return query(
    url,
    `SELECT pid, state FROM pg_stat_activity
      WHERE application_name = 'jmapsmith' AND datname = current_database()`,
  );
}

async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
