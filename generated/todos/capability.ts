// Generated from capabilities/todos.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { todoMethods, todoType } from './Todo.definition.js';

/** A to-do list; the example of a plug-in capability. */
export const todosCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:example:todos',
  name: 'todos',
  descriptorHash: 'sha256-31b6c650d80e592602657e9d3f86958e93c802dd971ab8116925b95f1483486d',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [todoType],
  methods: [...todoMethods],
});
