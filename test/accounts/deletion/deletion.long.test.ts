import { describe } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { deletionCases } from './cases.js';
import { onPostgresql, onSqlite } from './open.js';

/** DELETION_OBJECTS=100000 for a try. */
const COUNT = Number(process.env['DELETION_OBJECTS'] ?? 1_000_000);

describe('SQLite', () => deletionCases(COUNT, onSqlite));

describe('PostgreSQL', () => deletionCases(COUNT, onPostgresql(usePostgresql())));
