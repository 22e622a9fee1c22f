// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';
import { gadgetMethods, gadgetType } from './Gadget.definition.js';
import { classMethods, classType } from './Class.definition.js';

/** Everything that the language of descriptors has. */
export const gadgetsCapability: jmap.CapabilityDefinition = frozen({
  urn: 'https://example.com/jmap/gadgets',
  name: 'gadgets',
  descriptorHash: 'sha256-01d95898e8c57567ad4f95186830c7bf15267e35f942c6dde182aea9d3ad4062',
  session: { madeOf: ['brass', 'steel'] },
  accountSession: { maxGadgets: 100 },
  bareSession: false,
  accountLevel: true,
  dataTypes: [gadgetType, classType],
  methods: [...gadgetMethods, ...classMethods, ...methods],
});
