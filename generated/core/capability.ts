// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** The core of JMAP (RFC 8620). */
export const coreCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:core',
  name: 'core',
  descriptorHash: 'sha256-9cfd47873578fb39837525427ea9c3772b8a6fbb463247dc7924c51578e6f1e2',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [],
  methods: [...methods],
});
