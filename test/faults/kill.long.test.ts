import { it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { killUnderLoad } from './kill.js';

const postgresql = usePostgresql();

it('RFC 8620 5.3: kill -9 under 16 writers loses no acknowledged write, 60 times', async () => {
  await killUnderLoad(60);
}, 900_000);

it('RFC 8620 5.3: kill -9 on PostgreSQL loses no acknowledged write, twenty times', async () => {
  await killUnderLoad(20, { DATABASE_URL: await postgresql().createDatabase('killed') });
}, 600_000);
