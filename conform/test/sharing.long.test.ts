import { usePostgresql } from '../../test/support/postgresql.js';
import { noticeTests, passTests, SHARING_IDS, useSharing } from './sharing-tests.js';

const postgresql = usePostgresql();
const ran = useSharing(() => postgresql().createDatabase('sharing'));
passTests(ran);
noticeTests(ran, SHARING_IDS);
