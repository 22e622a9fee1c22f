// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** Blob management (RFC 9404). */
export const blobCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:blob',
  name: 'blob',
  descriptorHash: 'sha256-ab037775da8c656e9f7ea110ef3d9fdfb23d628db8584161749908caa6725795',
  session: {},
  accountSession: {},
  bareSession: true,
  accountLevel: true,
  dataTypes: [],
  methods: [...methods],
});
