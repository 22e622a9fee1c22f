// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import type * as jmap from 'jmapsmith/capability';
import type * as methods from './methods.types.js';
import type { GadgetShape } from './Gadget.definition.js';
import type { SingleShape } from './Single.definition.js';
import type * as wireGadget from './Gadget.types.js';

/**
 * What a hook file of this capability sees of the descriptor. Its first line says for which
 * it was written: `// written for: 7272f950f1ef`
 */
export const WRITTEN_FOR: string = '7272f950f1ef';

/** Hooks of Gadget. */
export interface GadgetHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<GadgetShape>, Database> {
  readonly methods?: {
    readonly query?: jmap.MethodExtension<Database, wireGadget.GadgetQueryArguments, wireGadget.GadgetQueryResponse>;
  };
}

/** Hooks of Single. */
export interface SingleHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<SingleShape>, Database> {
}

/** What `hooks` of capabilities/rich.hooks.ts must be. */
export interface Hooks<Database = unknown> {
  readonly types?: {
    readonly Gadget?: GadgetHooks<Database>;
    readonly Single?: SingleHooks<Database>;
  };
  readonly methods: {
    readonly 'Gadget/rebuild': jmap.OwnMethod<
      methods.GadgetRebuildArguments,
      methods.GadgetRebuildResponse,
      Database
    >;
  };
}
