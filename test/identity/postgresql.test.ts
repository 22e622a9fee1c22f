import { describe } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { identitySuite } from './suite.js';

const postgresql = usePostgresql();

// One process of PostgreSQL is in the long tier: sqlite.test.ts has one process, too.
describe('Identity on PostgreSQL with processes: 3', () => {
  identitySuite(async () => {
    const database = await postgresql().createDatabase('identity');
    return { database, processes: 3 };
  });
});
