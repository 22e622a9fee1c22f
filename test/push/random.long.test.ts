import { afterAll, beforeAll, describe, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { withSeeds } from '../support/random.js';
import { sharedProject } from '../support/shared-project.js';
import { Fleet } from './random/fleet.js';
import { runSeed } from './random/run-seed.js';
import { BOOK, LINE, NOTE, TODO } from './random/world.js';

/**
 * Each seed is a world of its own on servers that all seeds share. It has users and accounts,
 * writers, receivers of all channels that come and go, a push service that fails, and a fault. In
 * the end each receiver must have been told the states that /get answers.
 */
const RUNS = Number(process.env['PUSH_RUNS'] ?? 1000);
const HOURS = 3 * 3_600_000;

const DATABASES = [
  { database: 'SQLite', servers: 1, env: {} },
  { database: 'PostgreSQL', servers: 2, env: {} },
  { database: 'PostgreSQL by polling', servers: 2, env: { PUSH_BUS: 'poll:1s' } },
];

// Most of the time goes into waiting: all run at once.
describe.concurrent.each(DATABASES)(
  'receivers of all channels, on $database',
  ({ database, servers, env }) => {
    const postgresql = usePostgresql();
    let fleet: Fleet;

    beforeAll(async () => {
      const project = await sharedProject();
      const url = database === 'SQLite' ? null : await postgresql().createDatabase('push_random');
      fleet = await Fleet.start({ url, servers, server: { project, env } });
    }, HOURS);
    afterAll(() => fleet.remove());

    it(
      'the last states that they were told are those of /get',
      async () => {
        const runs = Math.ceil(RUNS / DATABASES.length);
        await withSeeds(runs, (seed) => runSeed(fleet, [TODO, NOTE, BOOK, LINE], seed));
      },
      HOURS,
    );
  },
);
