import { usePostgresql } from '../support/postgresql.js';
import { firstCases } from './cases.js';
import { secondCases } from './more-cases.js';
import { useExamples } from './project.js';

// The same calls, with the same answers, where DATABASE_URL names a PostgreSQL.
const postgresql = usePostgresql();
const examples = useExamples(async () => ({
  DATABASE_URL: await postgresql().createDatabase('examples'),
}));

firstCases(examples);
secondCases(examples);
