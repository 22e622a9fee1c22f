/** The principals that one object is shared with, at most. */
export const MAX_PRINCIPALS = 500;
