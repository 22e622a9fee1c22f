// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';
import { gadgetMethods, gadgetType } from './Gadget.definition.js';
import { singleMethods, singleType } from './Single.definition.js';

/** Gadgets and what belongs to them. */
export const richCapability: jmap.CapabilityDefinition = frozen({
  urn: 'https://example.com/jmap/rich',
  name: 'rich',
  descriptorHash: 'sha256-6cc67a7e424383a267ca30d3592884191e7d0489d082033b15b427d04711020b',
  session: { madeOf: ['brass', 'steel'] },
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [gadgetType, singleType],
  methods: [...gadgetMethods, ...singleMethods, ...methods],
});
