// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import * as standard from '../standard/validators.js';
import type * as wire from './Single.types.js';
import * as validators from './Single.validators.js';

/** The wire types of Single, for inference. */
export interface SingleShape {
  readonly object: wire.Single;
  readonly create: wire.SingleCreate;
  readonly patch: wire.SinglePatch;
  readonly filter: wire.SingleFilter;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'theme';

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
  theme: {
    name: 'theme',
    column: 'theme',
    kind: 'string',
    nullable: false,
    required: false,
    default: 'light',
    access: 'mutable',
    blob: false,
  },
});

/** What an account prefers. */
export const singleType: jmap.DataTypeDefinition<SingleShape> = frozen({
  name: 'Single',
  capability: 'https://example.com/jmap/rich',
  table: 'Single',
  acceptSnakeCase: false,
  properties: Object.values(properties),
  filters: [],
  sorts: [],
  shadows: [],
  singleton: true,
  validate: { create: validators.create, update: validators.update, filter: validators.filter },
});

/** The standard methods of Single. */
export const singleMethods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Single/get',
    capability: 'https://example.com/jmap/rich',
    dataType: singleType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: false,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(singleType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<SingleShape>>,
  {
    name: 'Single/changes',
    capability: 'https://example.com/jmap/rich',
    dataType: singleType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: false,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(singleType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Single/set',
    capability: 'https://example.com/jmap/rich',
    dataType: singleType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: false,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(singleType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<SingleShape>>,
]);
