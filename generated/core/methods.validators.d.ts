// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The arguments of Core/echo. */
export declare const coreEchoArguments: Validator;

/** The arguments of Blob/copy. */
export declare const blobCopyArguments: Validator;
