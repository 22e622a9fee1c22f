// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import type * as jmap from 'jmapsmith/capability';
import type { NoteShape } from './Note.definition.js';

/**
 * What a hook file of this capability sees of the descriptor. Its first line says for which
 * it was written: `// written for: 6f67e685cd98`
 */
export const WRITTEN_FOR: string = '6f67e685cd98';

/** Hooks of Note. */
export interface NoteHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<NoteShape>, Database> {
}

/** What `hooks` of capabilities/notes.hooks.ts must be. */
export interface Hooks<Database = unknown> {
  readonly types?: {
    readonly Note?: NoteHooks<Database>;
  };
}
