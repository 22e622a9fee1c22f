// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** Blob management (RFC 9404). */
export const blobCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:blob',
  name: 'blob',
  descriptorHash: 'sha256-72e7c5bf154129ad0792058388c89e50f4b214bb1261eff16b19a4cbc2bc4aa1',
  session: {},
  accountSession: {},
  bareSession: true,
  accountLevel: true,
  dataTypes: [],
  methods: [...methods],
});
