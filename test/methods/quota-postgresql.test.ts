import { usePostgresql } from '../support/postgresql.js';
import { quotaSuite } from './quota-suite.js';

const postgresql = usePostgresql();

quotaSuite('PostgreSQL', () => postgresql().createDatabase('quota'));
