// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** The core of JMAP (RFC 8620). */
export const coreCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:core',
  name: 'core',
  descriptorHash: 'sha256-23ada87dccc5d3a4f4f6896f1f6e508e21a7d616075bbf845122bbe4d520e110',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [],
  methods: [...methods],
});
