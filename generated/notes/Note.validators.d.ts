// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The new values of the properties that an update of a Note touches. */
export declare const update: Validator;

/** A whole Note as a client creates it. */
export declare const create: Validator;

/** One FilterCondition of Note/query. */
export declare const filter: Validator;
