import { describe } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { deletionCases } from './cases.js';
import { onPostgresql, onSqlite } from './open.js';

/** deletion.long.test.ts has an account of a million. */
const COUNT = Number(process.env['DC'] ?? 5000);

describe('SQLite', () => deletionCases(COUNT, onSqlite));

describe('PostgreSQL', () => deletionCases(COUNT, onPostgresql(usePostgresql())));
