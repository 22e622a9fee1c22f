// Generated from capabilities/websocket.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';

/** JMAP over WebSocket (RFC 8887). */
export const websocketCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:websocket',
  name: 'websocket',
  descriptorHash: 'sha256-b3a633f5cbb559f30e74351c17814f84172e0bd3d8f993f384ee53dfc781ee84',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: false,
  dataTypes: [],
  methods: [],
});
