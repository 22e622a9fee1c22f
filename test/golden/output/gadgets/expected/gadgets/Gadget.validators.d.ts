// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The new values of the properties that an update of a Gadget touches. */
export declare const update: Validator;

/** A whole Gadget as a client creates it. */
export declare const create: Validator;

/** One FilterCondition of Gadget/query. */
export declare const filter: Validator;

/** The values of a Gadget that hooks give and clients don't. */
export declare const server: Validator;
