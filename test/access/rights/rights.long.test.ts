import { describe } from 'vitest';
import { usePostgresql } from '../../support/postgresql.js';
import { rightsSuite } from './suite.js';

const postgresql = usePostgresql();

describe('every method by every right, on PostgreSQL', () => {
  rightsSuite(() => postgresql().createDatabase('rights'));
});
