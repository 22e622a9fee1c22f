import { describe } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { deletionCases } from './cases.js';
import { onPostgresql, onSqlite } from './open.js';

/**
 * deletion.long.test.ts has an account of a million. PostgreSQL has other plans for tables that are
 * smaller.
 */
const [ON_SQLITE, ON_POSTGRESQL] = [1200, 5000];

describe('SQLite', () => deletionCases(ON_SQLITE, onSqlite));

describe('PostgreSQL', () => deletionCases(ON_POSTGRESQL, onPostgresql(usePostgresql())));
