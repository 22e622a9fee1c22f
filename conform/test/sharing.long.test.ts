import { usePostgresql } from '../../test/support/postgresql.js';
import { passTests, useSharing } from './sharing-tests.js';

const postgresql = usePostgresql();
passTests(useSharing(() => postgresql().createDatabase('sharing')));
