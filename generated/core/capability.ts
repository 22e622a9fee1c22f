// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { methods } from './methods.js';

/** The core of JMAP (RFC 8620). */
export const coreCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:ietf:params:jmap:core',
  name: 'core',
  descriptorHash: 'sha256-93b45ef8c616a16b956155c97c4668d9e446d5cded7397b6bcf63b8f515309eb',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: false,
  dataTypes: [],
  methods: [...methods],
});
