/** Objects of a call that are read, written or shown in a moment. A call about more takes turns with others. */
export const FEW_OBJECTS = 100;

/** Ids that one statement looks for: on SQLite it takes about 5 ms, of the 8 that a slice lasts. */
export const MAX_IDS = 10_000;

/** Octets of existing objects that one call may have in memory at once. */
export const WORKING_OCTETS = 100_000_000;
