// Generated from capabilities/todos.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import { todoMethods, todoType } from './Todo.definition.js';

/** A to-do list; the example of a plug-in capability. */
export const todosCapability: jmap.CapabilityDefinition = frozen({
  urn: 'urn:example:todos',
  name: 'todos',
  descriptorHash: 'sha256-3ecd02b9349ec7e54f1979d69a0dc63f7b14bde945d756b13a97171fbecb30dc',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: [todoType],
  methods: [...todoMethods],
});
