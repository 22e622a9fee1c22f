// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The new values of the properties that an update of a Single touches. */
export declare const update: Validator;

/** A whole Single as a client creates it. */
export declare const create: Validator;

/** One FilterCondition of Single/query. */
export declare const filter: Validator;
