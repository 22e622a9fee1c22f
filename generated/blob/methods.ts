// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import type * as wire from './methods.types.js';
import * as validators from './methods.validators.js';

/** The methods of urn:ietf:params:jmap:blob beside the standard ones. */
export const methods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Blob/upload',
    capability: 'urn:ietf:params:jmap:blob',
    account: 'write',
    argumentNames: ['accountId', 'create'],
    acceptSnakeCase: false,
    validateArguments: validators.blobUploadArguments,
    handle: (args: wire.BlobUploadArguments, context: jmap.MethodContext) =>
      context.builtIn<wire.BlobUploadArguments, wire.BlobUploadResponse>('Blob/upload', args),
  } satisfies jmap.MethodDefinition<wire.BlobUploadArguments, wire.BlobUploadResponse>,
  {
    name: 'Blob/get',
    capability: 'urn:ietf:params:jmap:blob',
    account: 'read',
    argumentNames: ['accountId', 'ids', 'properties', 'offset', 'length'],
    acceptSnakeCase: false,
    validateArguments: validators.blobGetArguments,
    handle: (args: wire.BlobGetArguments, context: jmap.MethodContext) =>
      context.builtIn<wire.BlobGetArguments, wire.BlobGetResponse>('Blob/get', args),
  } satisfies jmap.MethodDefinition<wire.BlobGetArguments, wire.BlobGetResponse>,
  {
    name: 'Blob/lookup',
    capability: 'urn:ietf:params:jmap:blob',
    account: 'read',
    argumentNames: ['accountId', 'typeNames', 'ids'],
    acceptSnakeCase: false,
    validateArguments: validators.blobLookupArguments,
    handle: (args: wire.BlobLookupArguments, context: jmap.MethodContext) =>
      context.builtIn<wire.BlobLookupArguments, wire.BlobLookupResponse>('Blob/lookup', args),
  } satisfies jmap.MethodDefinition<wire.BlobLookupArguments, wire.BlobLookupResponse>,
]);
