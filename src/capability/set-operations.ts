/** The operations of a /set, in the order in which it makes them. */
export const SET_OPERATIONS = ['create', 'update', 'destroy'] as const;

export type SetOperation = (typeof SET_OPERATIONS)[number];
