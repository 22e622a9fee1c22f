import { noticeTests, passTests, SHARING_IDS, useSharing } from './sharing-tests.js';

/** Returns the group of a check: its ids begin alike. */
const groupOf = (id: string): string => /^share-notification|^\w+/.exec(id)?.[0] ?? '';

// One of each group: all of them take a minute, and are in the long tier.
const some = new Map([...SHARING_IDS].reverse().map((id) => [groupOf(id), id]));

const ran = useSharing();
passTests(ran);
noticeTests(ran, [...some.values()]);
