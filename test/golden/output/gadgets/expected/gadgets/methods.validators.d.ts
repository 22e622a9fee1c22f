// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The arguments of Gadget/rebuild. */
export declare const gadgetRebuildArguments: Validator;

/** The response of Gadget/rebuild. */
export declare const gadgetRebuildResponse: Validator;
