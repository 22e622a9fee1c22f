// Generated from capabilities/todos.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import * as standard from '../standard/validators.js';
import type * as wire from './Todo.types.js';
import * as validators from './Todo.validators.js';

/** The wire types of Todo, for inference. */
export interface TodoShape {
  readonly object: wire.Todo;
  readonly create: wire.TodoCreate;
  readonly patch: wire.TodoPatch;
  readonly filter: wire.TodoFilter;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'text'
  | 'done';

const properties: Record<PropertyName, jmap.PropertyDefinition> = frozen({
  id: {
    name: 'id',
    column: 'id',
    kind: 'string',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'id',
    blob: false,
  },
  created: {
    name: 'created',
    column: 'created',
    kind: 'date',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'created',
    blob: false,
  },
  updated: {
    name: 'updated',
    column: 'updated',
    kind: 'date',
    nullable: false,
    required: false,
    access: 'serverSet',
    role: 'updated',
    blob: false,
  },
  text: {
    name: 'text',
    column: 'text',
    kind: 'string',
    nullable: false,
    required: true,
    access: 'mutable',
    blob: false,
  },
  done: {
    name: 'done',
    column: 'done',
    kind: 'boolean',
    nullable: false,
    required: false,
    default: false,
    access: 'mutable',
    blob: false,
  },
});

/** One thing to do. */
export const todoType: jmap.DataTypeDefinition<TodoShape> = frozen({
  name: 'Todo',
  capability: 'urn:example:todos',
  table: 'Todo',
  acceptSnakeCase: true,
  properties: Object.values(properties),
  filters: [
    { name: 'text', property: properties.text, operator: 'contains', column: 'text_folded' },
    { name: 'done', property: properties.done, operator: 'equals', column: 'done' },
  ],
  sorts: [
    { property: properties.text, casemapColumn: 'text_casemap' },
    { property: properties.done },
    { property: properties.created },
    { property: properties.updated },
  ],
  shadows: [
    { column: 'text_folded', property: properties.text, transform: 'fold' },
    { column: 'text_casemap', property: properties.text, transform: 'casemap' },
  ],
  validate: { create: validators.create, update: validators.update, filter: validators.filter },
});

/** The standard methods of Todo. */
export const todoMethods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Todo/get',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: true,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<TodoShape>>,
  {
    name: 'Todo/changes',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: true,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Todo/set',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: true,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<TodoShape>>,
  {
    name: 'Todo/copy',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'write',
    argumentNames: standard.argumentNames.copy,
    acceptSnakeCase: true,
    validateArguments: standard.copyArguments,
    handle: (args: jmap.CopyArguments, context: jmap.MethodContext) =>
      context.standard.copy(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.CopyArguments, jmap.CopyResponse<TodoShape>>,
  {
    name: 'Todo/query',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'read',
    argumentNames: standard.argumentNames.query,
    acceptSnakeCase: true,
    validateArguments: standard.queryArguments,
    handle: (args: jmap.QueryArguments, context: jmap.MethodContext) =>
      context.standard.query(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryArguments, jmap.QueryResponse>,
  {
    name: 'Todo/queryChanges',
    capability: 'urn:example:todos',
    dataType: todoType,
    account: 'read',
    argumentNames: standard.argumentNames.queryChanges,
    acceptSnakeCase: true,
    validateArguments: standard.queryChangesArguments,
    handle: (args: jmap.QueryChangesArguments, context: jmap.MethodContext) =>
      context.standard.queryChanges(todoType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryChangesArguments, jmap.QueryChangesResponse>,
]);
