import { afterAll, beforeAll, describe, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { withSeeds } from '../support/random.js';
import { Fleet } from './random/fleet.js';
import { runSeed } from './random/run-seed.js';
import { NOTE, TODO } from './random/world.js';

/* The long run is random.long.test.ts: it says what a seed is. */

const RUNS = Number(process.env['PUSH_RUNS'] ?? 1);

describe.each([
  { database: 'SQLite', servers: 1 },
  { database: 'PostgreSQL', servers: 2 },
])('receivers of all channels, on $database', ({ database, servers }) => {
  const postgresql = usePostgresql();
  let fleet: Fleet;

  beforeAll(async () => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('push_random');
    fleet = await Fleet.start({ url, servers });
  });
  afterAll(() => fleet.remove());

  it('the last states that they were told are those of /get', {
    timeout: RUNS * 120_000,
  }, async () => {
    await withSeeds(RUNS, (seed) => runSeed(fleet, [TODO, NOTE], seed));
  });
});
