// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import * as standard from '../standard/validators.js';
import type * as wire from './Class.types.js';
import * as validators from './Class.validators.js';

/** The wire types of Class, for inference. */
export interface ClassShape {
  readonly object: wire.Class;
  readonly create: wire.ClassCreate;
  readonly patch: wire.ClassPatch;
  readonly filter: wire.ClassFilter;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'delete';

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
  delete: {
    name: 'delete',
    column: 'delete',
    kind: 'boolean',
    nullable: false,
    required: false,
    default: false,
    access: 'mutable',
    blob: false,
  },
});

export const classType: jmap.DataTypeDefinition<ClassShape> = frozen({
  name: 'Class',
  capability: 'https://example.com/jmap/gadgets',
  table: 'Class',
  acceptSnakeCase: false,
  properties: Object.values(properties),
  filters: [{ name: 'delete', property: properties.delete, operator: 'equals', column: 'delete' }],
  sorts: [],
  shadows: [],
  validate: { create: validators.create, update: validators.update, filter: validators.filter },
});

/** The standard methods of Class. */
export const classMethods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Class/get',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: false,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(classType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<ClassShape>>,
  {
    name: 'Class/changes',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: false,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(classType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Class/set',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: false,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(classType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<ClassShape>>,
  {
    name: 'Class/copy',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'write',
    argumentNames: standard.argumentNames.copy,
    acceptSnakeCase: false,
    validateArguments: standard.copyArguments,
    handle: (args: jmap.CopyArguments, context: jmap.MethodContext) =>
      context.standard.copy(classType, args),
  } satisfies jmap.MethodDefinition<jmap.CopyArguments, jmap.CopyResponse<ClassShape>>,
  {
    name: 'Class/query',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'read',
    argumentNames: standard.argumentNames.query,
    acceptSnakeCase: false,
    validateArguments: standard.queryArguments,
    handle: (args: jmap.QueryArguments, context: jmap.MethodContext) =>
      context.standard.query(classType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryArguments, jmap.QueryResponse>,
  {
    name: 'Class/queryChanges',
    capability: 'https://example.com/jmap/gadgets',
    dataType: classType,
    account: 'read',
    argumentNames: standard.argumentNames.queryChanges,
    acceptSnakeCase: false,
    validateArguments: standard.queryChangesArguments,
    handle: (args: jmap.QueryChangesArguments, context: jmap.MethodContext) =>
      context.standard.queryChanges(classType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryChangesArguments, jmap.QueryChangesResponse>,
]);
