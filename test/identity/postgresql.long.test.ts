import { describe } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { identitySuite } from './suite.js';

const postgresql = usePostgresql();

describe('Identity on PostgreSQL with processes: 1', () => {
  identitySuite(async () => {
    const database = await postgresql().createDatabase('identity');
    return { database, processes: 1 };
  });
});
