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
  descriptorHash: 'sha256-ddd0ec0e865c578d0fd065a7c271da03e184c540f3f11f7348f3e9c261b465e3',
  session: { madeOf: ['brass', 'steel'] },
  accountSession: { maxGadgets: 100 },
  bareSession: false,
  accountLevel: true,
  dataTypes: [gadgetType, classType],
  methods: [...gadgetMethods, ...classMethods, ...methods],
});
