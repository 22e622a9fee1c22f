// Generated from capabilities/ by `npm run generate`. Change the descriptor, not this file.

import type * as jmap from 'jmapsmith/capability';
import { blobCapability } from './blob/capability.js';
import { coreCapability } from './core/capability.js';
import { notesCapability } from './notes/capability.js';
import { todosCapability } from './todos/capability.js';
import { websocketCapability } from './websocket/capability.js';

/** Every capability that the server offers. */
export const registry: readonly jmap.CapabilityDefinition[] = [
  blobCapability,
  coreCapability,
  notesCapability,
  todosCapability,
  websocketCapability,
];
