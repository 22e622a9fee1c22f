import { describe, it } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { openPostgresql, openSqlite } from './databases.js';
import { keepsReleases } from './random.js';

const LIMIT = 600_000;
const server = usePostgresql();

describe('releases as they come', () => {
  it(
    'keep on SQLite all data that no descriptor gives up, and leave nothing',
    () => keepsReleases(openSqlite, 60),
    LIMIT,
  );

  it(
    'keep on PostgreSQL the data of the version before, and leave nothing for longer',
    () => keepsReleases(() => openPostgresql(server()), 60),
    LIMIT,
  );
});
