// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import type * as wire from './methods.types.js';
import * as validators from './methods.validators.js';

/** The methods of https://example.com/jmap/gadgets beside the standard ones. */
export const methods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Gadget/rebuild',
    capability: 'https://example.com/jmap/gadgets',
    account: 'write',
    argumentNames: ['accountId', 'id', 'share'],
    acceptSnakeCase: false,
    validateArguments: validators.gadgetRebuildArguments,
    validateResponse: validators.gadgetRebuildResponse,
    handle: (args: wire.GadgetRebuildArguments, context: jmap.MethodContext) =>
      context.own<wire.GadgetRebuildArguments, wire.GadgetRebuildResponse>('Gadget/rebuild', args),
  } satisfies jmap.MethodDefinition<wire.GadgetRebuildArguments, wire.GadgetRebuildResponse>,
]);
