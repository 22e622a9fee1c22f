// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import type * as jmap from 'jmapsmith/capability';
import type * as methods from './methods.types.js';
import type { ClassShape } from './Class.definition.js';
import type { GadgetShape } from './Gadget.definition.js';

/**
 * What a hook file of this capability sees of the descriptor. Its first line says for which
 * it was written: `// written for: b0671f1e5bd7`
 */
export const WRITTEN_FOR: string = 'b0671f1e5bd7';

/** Hooks of Gadget. */
export interface GadgetHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<GadgetShape>, Database> {
}

/** Hooks of Class. */
export interface ClassHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<ClassShape>, Database> {
}

/** What `hooks` of capabilities/gadgets.hooks.ts must be. */
export interface Hooks<Database = unknown> {
  readonly types?: {
    readonly Gadget?: GadgetHooks<Database>;
    readonly Class?: ClassHooks<Database>;
  };
  readonly methods: {
    readonly 'Gadget/rebuild': jmap.OwnMethod<
      methods.GadgetRebuildArguments,
      methods.GadgetRebuildResponse,
      Database
    >;
  };
}
