/** Octets of existing objects that one call may have in memory at once. */
export const WORKING_OCTETS = 100_000_000;
