// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { noteMethods, noteType } from './Note.definition.js';

/** Notes; the reference data type. */
export const notesCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:service:notes',
  name: 'notes',
  descriptorHash: 'sha256-dd5e139e04340c92c273c63ddd1a1433337458b54fc0a336232b771fc8a014b6',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [noteType],
  methods: [...noteMethods],
});
