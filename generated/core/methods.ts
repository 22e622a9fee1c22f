// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import type * as wire from './methods.types.js';
import * as validators from './methods.validators.js';

/** The methods of urn:ietf:params:jmap:core beside the standard ones. */
export const methods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Core/echo',
    capability: 'urn:ietf:params:jmap:core',
    account: 'none',
    acceptSnakeCase: false,
    validateArguments: validators.coreEchoArguments,
    handle: (args: wire.CoreEchoArguments, context: jmap.MethodContext) =>
      context.builtIn<wire.CoreEchoArguments, wire.CoreEchoResponse>('Core/echo', args),
  } satisfies jmap.MethodDefinition<wire.CoreEchoArguments, wire.CoreEchoResponse>,
  {
    name: 'Blob/copy',
    capability: 'urn:ietf:params:jmap:core',
    accountCapability: 'urn:ietf:params:jmap:blob',
    account: 'write',
    argumentNames: ['fromAccountId', 'accountId', 'blobIds'],
    acceptSnakeCase: false,
    validateArguments: validators.blobCopyArguments,
    handle: (args: wire.BlobCopyArguments, context: jmap.MethodContext) =>
      context.builtIn<wire.BlobCopyArguments, wire.BlobCopyResponse>('Blob/copy', args),
  } satisfies jmap.MethodDefinition<wire.BlobCopyArguments, wire.BlobCopyResponse>,
]);
