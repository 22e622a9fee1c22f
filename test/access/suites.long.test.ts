import pg from 'pg';
import { describe } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { endpointsSuite } from './endpoints-suite.js';
import { idsSuite } from './ids-suite.js';
import { openSuite } from './open-suite.js';
import { scopedSuite } from './scoped-suite.js';
import { SIGNS } from './world.js';

/**
 * The tests beside this one run on SQLite. This one runs them on PostgreSQL, which reads access by
 * other statements; and all of `idsSuite` on SQLite, too.
 */
const postgresql = usePostgresql();

describe('endpoints, on PostgreSQL', () => {
  let url = '';
  const server = useServer(async () => {
    url = await postgresql().createDatabase('endpoints');
    return { env: { METRICS_TOKEN: 'the-operators', DATABASE_URL: url } };
  });
  endpointsSuite(server, async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE "JmapTicket" SET "expires" = $1', [Date.now() - 1]);
    await client.end();
  });
});

describe('ids of all places, on SQLite', () => {
  idsSuite(useServer(async () => ({ project: await sharedProject(), env: SIGNS })));
});

describe('ids, on PostgreSQL', () => {
  const server = useServer(async () => ({
    project: await sharedProject(),
    env: { ...SIGNS, DATABASE_URL: await postgresql().createDatabase('ids') },
  }));
  idsSuite(server);
});

describe('streams and sockets that are open, on PostgreSQL', () => {
  const server = useServer(async () => ({
    env: { DATABASE_URL: await postgresql().createDatabase('open') },
  }));
  openSuite(server, 1000);
});

describe('narrowed tokens, on PostgreSQL', () => {
  const server = useServer(async () => ({
    env: { DATABASE_URL: await postgresql().createDatabase('scoped') },
  }));
  scopedSuite(server);
});
