// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import type { Validator } from 'jmapsmith/capability';

/** The arguments of Blob/upload. */
export declare const blobUploadArguments: Validator;

/** The arguments of Blob/get. */
export declare const blobGetArguments: Validator;

/** The arguments of Blob/lookup. */
export declare const blobLookupArguments: Validator;
