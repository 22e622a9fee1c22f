import { describe } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { identitySuite } from './suite.js';

const postgresql = usePostgresql();

describe.each([1, 3])('Identity on PostgreSQL with processes: %i', (processes) => {
  identitySuite(async () => {
    const database = await postgresql().createDatabase('identity');
    return { database, processes };
  });
});
