// Generated from capabilities/websocket.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';

/** JMAP over WebSocket (RFC 8887). */
export const websocketCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:websocket',
  name: 'websocket',
  descriptorHash: 'sha256-ae4c3af5ee5eab1cd58caa4e74021fb9be6dc6d3d1b9afd3dc9c62dcf18b6f3b',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: false,
  dataTypes: [],
  methods: [],
});
