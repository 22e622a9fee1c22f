import { noticeTests, passTests, SHARING_FAULTS, useSharing } from './sharing-tests.js';

const ran = useSharing();
passTests(ran);
noticeTests(ran, SHARING_FAULTS);
