import { describe } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { pruningCases } from './cases.js';
import { onPostgresql, onSqlite } from './open.js';

/** PRUNE_RECORDS=100000 for a try. */
const COUNT = Number(process.env['PRUNE_RECORDS'] ?? 1_000_000);

describe('SQLite', () => pruningCases(COUNT, onSqlite));

describe('PostgreSQL, two servers', () => pruningCases(COUNT, onPostgresql(usePostgresql())));
