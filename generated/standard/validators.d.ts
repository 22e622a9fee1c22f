// Generated from scripts/generator/emit/standard-methods.ts by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The arguments of every /get (RFC 8620 5.1). */
export declare const getArguments: Validator;

/** The arguments of every /changes (RFC 8620 5.2). */
export declare const changesArguments: Validator;

/** The arguments of every /set (RFC 8620 5.3). */
export declare const setArguments: Validator;

/** The arguments of every /copy (RFC 8620 5.4). */
export declare const copyArguments: Validator;

/** The arguments of every /query (RFC 8620 5.5). */
export declare const queryArguments: Validator;

/** The arguments of every /queryChanges (RFC 8620 5.6). */
export declare const queryChangesArguments: Validator;

/** The argument names of each method. */
export declare const argumentNames: {
  readonly [verb in 'get' | 'changes' | 'set' | 'copy' | 'query' | 'queryChanges']: readonly string[];
};
