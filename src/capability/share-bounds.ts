/** The principals that one object is shared with, at most. */
export const MAX_PRINCIPALS = 500;

/** The rights that it gives them together, at most: each is a row. */
export const MAX_RIGHTS = 10_000;
