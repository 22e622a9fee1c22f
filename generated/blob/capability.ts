// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** Blob management (RFC 9404). */
export const blobCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:blob',
  name: 'blob',
  descriptorHash: 'sha256-ad87b9cc513e72c4799fd25f5458cd4a4621244969fa1c5fc21cf3d66d3b7ac3',
  session: {},
  accountSession: {},
  bareSession: true,
  accountLevel: true,
  dataTypes: [],
  methods: [...methods],
});
