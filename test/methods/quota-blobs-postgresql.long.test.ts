import { usePostgresql } from '../support/postgresql.js';
import { quotaBlobsSuite } from './quota-blobs-suite.js';

const postgresql = usePostgresql();

quotaBlobsSuite('PostgreSQL', () => postgresql().createDatabase('quota'));
