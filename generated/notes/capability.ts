// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { noteMethods, noteType } from './Note.definition.js';

/** Notes; the reference data type. */
export const notesCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:service:notes',
  name: 'notes',
  descriptorHash: 'sha256-4a55b4e12b4e0c198abdd91548a6cc039f02129f678d6b202f6c4345f66ee3d3',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [noteType],
  methods: [...noteMethods],
});
