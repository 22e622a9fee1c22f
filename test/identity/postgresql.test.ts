import { describe } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { identitySuite } from './suite.js';

const postgresql = usePostgresql();

// One process of PostgreSQL is in the long tier. In the fast one sqlite.test.ts has one process,
// and the tests that ask one server alone.
describe('Identity on PostgreSQL with processes: 3', () => {
  identitySuite(async () => {
    const database = await postgresql().createDatabase('identity');
    return { database, processes: 3 };
  }, 'of several servers');
});
