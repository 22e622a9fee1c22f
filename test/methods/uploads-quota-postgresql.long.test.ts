import { usePostgresql } from '../support/postgresql.js';
import { uploadsQuotaSuite } from './uploads-quota-suite.js';

const postgresql = usePostgresql();

uploadsQuotaSuite('PostgreSQL', () => postgresql().createDatabase('quota'));
