// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { frozen } from 'jmapsmith/capability';
import type * as jmap from 'jmapsmith/capability';
import * as standard from '../standard/validators.js';
import type * as wire from './Gadget.types.js';
import * as validators from './Gadget.validators.js';

/** The wire types of Gadget, for inference. */
export interface GadgetShape {
  readonly object: wire.Gadget;
  readonly create: wire.GadgetCreate;
  readonly patch: wire.GadgetPatch;
  readonly filter: wire.GadgetFilter;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'title'
  | 'code'
  | 'kind'
  | 'rank'
  | 'level'
  | 'score'
  | 'ratio'
  | 'count'
  | 'due'
  | 'start'
  | 'done'
  | 'meta'
  | 'list'
  | 'points'
  | 'names'
  | 'extra'
  | 'blobId';

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
  title: {
    name: 'title',
    column: 'title',
    kind: 'string',
    nullable: false,
    required: true,
    access: 'mutable',
    blob: false,
  },
  code: {
    name: 'code',
    column: 'code',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
  },
  kind: {
    name: 'kind',
    column: 'kind',
    kind: 'string',
    nullable: false,
    required: false,
    default: 'small',
    access: 'immutable',
    blob: false,
  },
  rank: {
    name: 'rank',
    column: 'rank',
    kind: 'integer',
    nullable: false,
    required: false,
    default: 0,
    access: 'mutable',
    blob: false,
  },
  level: {
    name: 'level',
    column: 'level',
    kind: 'integer',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
  },
  score: {
    name: 'score',
    column: 'score',
    kind: 'number',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
  },
  ratio: {
    name: 'ratio',
    column: 'ratio',
    kind: 'number',
    nullable: false,
    required: false,
    default: 0.5,
    access: 'mutable',
    blob: false,
  },
  count: {
    name: 'count',
    column: 'count',
    kind: 'integer',
    nullable: false,
    required: false,
    default: 0,
    access: 'serverSet',
    blob: false,
  },
  due: {
    name: 'due',
    column: 'due',
    kind: 'date',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
  },
  start: {
    name: 'start',
    column: 'start',
    kind: 'date',
    nullable: false,
    required: false,
    default: '2026-01-31T12:00:00Z',
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
  meta: {
    name: 'meta',
    column: 'meta',
    kind: 'json',
    nullable: false,
    required: false,
    default: { note: null },
    access: 'mutable',
    blob: false,
  },
  list: {
    name: 'list',
    column: 'list',
    kind: 'json',
    nullable: false,
    required: false,
    default: [],
    access: 'mutable',
    blob: false,
  },
  points: {
    name: 'points',
    column: 'points',
    kind: 'json',
    nullable: false,
    required: false,
    default: [],
    access: 'mutable',
    blob: false,
  },
  names: {
    name: 'names',
    column: 'names',
    kind: 'json',
    nullable: false,
    required: false,
    default: {},
    access: 'mutable',
    blob: false,
  },
  extra: {
    name: 'extra',
    column: 'extra',
    kind: 'json',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
  },
  blobId: {
    name: 'blobId',
    column: 'blobId',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: true,
  },
});

/**
 * A gadget. Not * / the end of a comment,
 * and "quotes" don't hurt.
 */
export const gadgetType: jmap.DataTypeDefinition<GadgetShape> = frozen({
  name: 'Gadget',
  capability: 'https://example.com/jmap/gadgets',
  table: 'Gadget',
  acceptSnakeCase: true,
  properties: Object.values(properties),
  filters: [
    { name: 'title', property: properties.title, operator: 'contains', column: 'title_folded' },
    {
      name: 'titleStart',
      property: properties.title,
      operator: 'startsWith',
      column: 'title_folded',
    },
    { name: 'kind', property: properties.kind, operator: 'in', column: 'kind' },
    { name: 'code', property: properties.code, operator: 'equals', column: 'code' },
    { name: 'noCode', property: properties.code, operator: 'isNull', column: 'code' },
    { name: 'noExtra', property: properties.extra, operator: 'isNull', column: 'extra' },
    { name: 'minRank', property: properties.rank, operator: 'atLeast', column: 'rank' },
    { name: 'maxScore', property: properties.score, operator: 'atMost', column: 'score' },
    { name: 'levels', property: properties.level, operator: 'in', column: 'level' },
    { name: 'dueBefore', property: properties.due, operator: 'before', column: 'due' },
    { name: 'dueAt', property: properties.due, operator: 'in', column: 'due' },
    { name: 'createdAfter', property: properties.created, operator: 'after', column: 'created' },
    { name: 'done', property: properties.done, operator: 'equals', column: 'done' },
    { name: 'ids', property: properties.id, operator: 'in', column: 'id' },
  ],
  sorts: [
    { property: properties.title, casemapColumn: 'title_casemap' },
    { property: properties.rank, indexed: true },
    { property: properties.due },
    { property: properties.id },
    { property: properties.created },
  ],
  shadows: [
    { column: 'title_folded', property: properties.title, transform: 'fold' },
    { column: 'title_casemap', property: properties.title, transform: 'casemap' },
  ],
  validate: {
    create: validators.create,
    update: validators.update,
    filter: validators.filter,
    server: validators.server,
  },
});

/** The standard methods of Gadget. */
export const gadgetMethods: readonly jmap.MethodDefinition[] = frozen([
  {
    name: 'Gadget/get',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: true,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<GadgetShape>>,
  {
    name: 'Gadget/changes',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: true,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Gadget/set',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: true,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<GadgetShape>>,
  {
    name: 'Gadget/copy',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'write',
    argumentNames: standard.argumentNames.copy,
    acceptSnakeCase: true,
    validateArguments: standard.copyArguments,
    handle: (args: jmap.CopyArguments, context: jmap.MethodContext) =>
      context.standard.copy(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.CopyArguments, jmap.CopyResponse<GadgetShape>>,
  {
    name: 'Gadget/query',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.query,
    acceptSnakeCase: true,
    validateArguments: standard.queryArguments,
    handle: (args: jmap.QueryArguments, context: jmap.MethodContext) =>
      context.standard.query(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryArguments, jmap.QueryResponse>,
  {
    name: 'Gadget/queryChanges',
    capability: 'https://example.com/jmap/gadgets',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.queryChanges,
    acceptSnakeCase: true,
    validateArguments: standard.queryChangesArguments,
    handle: (args: jmap.QueryChangesArguments, context: jmap.MethodContext) =>
      context.standard.queryChanges(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryChangesArguments, jmap.QueryChangesResponse>,
]);
