// Generated from capabilities/todos.yaml by `npm run generate`. Change the descriptor, not this file.

import type * as jmap from 'jmapsmith/capability';
import type { TodoShape } from './Todo.definition.js';

/**
 * What a hook file of this capability sees of the descriptor. Its first line says for which
 * it was written: `// written for: 64f7bbe25a44`
 */
export const WRITTEN_FOR: string = '64f7bbe25a44';

/** Hooks of Todo. */
export interface TodoHooks<Database = unknown>
  extends jmap.TypeHooks<jmap.StoredOf<TodoShape>, Database> {
}

/** What `hooks` of capabilities/todos.hooks.ts must be. */
export interface Hooks<Database = unknown> {
  readonly types?: {
    readonly Todo?: TodoHooks<Database>;
  };
}
