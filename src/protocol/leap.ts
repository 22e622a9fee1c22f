/**
 * After a restore the counter behind every state is raised by this many at least, more than a type of
 * an account sees of changes while they are kept. A state that lies so far back is of before, whatever records are
 * still there.
 */
export const STATE_LEAP = 1_000_000_000;
