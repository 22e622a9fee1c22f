// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

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
  readonly stored: wire.GadgetStored;
}

type PropertyName =
  | 'id'
  | 'created'
  | 'updated'
  | 'title'
  | 'code'
  | 'kind'
  | 'rank'
  | 'score'
  | 'count'
  | 'due'
  | 'starts'
  | 'local'
  | 'tags'
  | 'meta'
  | 'home'
  | 'list'
  | 'parentId'
  | 'links'
  | 'blobId'
  | 'cost'
  | 'pin'
  | 'colour';

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
  count: {
    name: 'count',
    column: 'count',
    kind: 'integer',
    nullable: false,
    required: false,
    default: 0,
    access: 'serverSet',
    blob: false,
    computed: { kind: 'count', type: 'Gadget', by: 'parentId' },
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
  starts: {
    name: 'starts',
    column: 'starts',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
    format: 'date',
  },
  local: {
    name: 'local',
    column: 'local',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
    format: 'local-date-time',
  },
  tags: {
    name: 'tags',
    column: 'tags',
    kind: 'json',
    nullable: false,
    required: false,
    default: {},
    access: 'mutable',
    blob: false,
  },
  meta: {
    name: 'meta',
    column: 'meta',
    kind: 'json',
    nullable: false,
    required: false,
    default: {},
    access: 'mutable',
    blob: false,
  },
  home: {
    name: 'home',
    column: 'home',
    kind: 'json',
    nullable: false,
    required: false,
    default: {},
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
  parentId: {
    name: 'parentId',
    column: 'parentId',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'mutable',
    blob: false,
    format: 'id',
    reference: { type: 'Gadget', form: 'single', onDestroy: 'restrict', acyclic: true },
  },
  links: {
    name: 'links',
    column: 'links',
    kind: 'json',
    nullable: false,
    required: false,
    default: {},
    access: 'mutable',
    blob: false,
    reference: { type: 'Gadget', form: 'set', onDestroy: 'setNull', acyclic: false },
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
  cost: {
    name: 'cost',
    column: 'cost',
    kind: 'integer',
    nullable: false,
    required: false,
    default: 0,
    access: 'internal',
    blob: false,
  },
  pin: {
    name: 'pin',
    column: 'pin',
    kind: 'string',
    nullable: true,
    required: false,
    default: null,
    access: 'secret',
    blob: false,
    secret: 'hash',
  },
  colour: {
    name: 'colour',
    column: 'colour',
    kind: 'string',
    nullable: false,
    required: false,
    default: 'grey',
    access: 'mutable',
    blob: false,
  },
});

/** Something with many parts. */
export const gadgetType: jmap.DataTypeDefinition<GadgetShape> = frozen({
  name: 'Gadget',
  capability: 'https://example.com/jmap/rich',
  table: 'Gadget',
  acceptSnakeCase: false,
  properties: Object.values(properties),
  filters: [
    {
      name: 'title',
      property: properties.title,
      operator: 'contains',
      column: 'title_folded',
      indexed: true,
    },
    { name: 'kind', property: properties.kind, operator: 'in', column: 'kind' },
    { name: 'minRank', property: properties.rank, operator: 'atLeast', column: 'rank' },
    { name: 'dueBefore', property: properties.due, operator: 'before', column: 'due' },
    {
      name: 'startsAfter',
      property: properties.starts,
      operator: 'after',
      column: 'starts_instant',
    },
    { name: 'hasTag', property: properties.tags, operator: 'hasKey', column: 'tags' },
    { name: 'listed', property: properties.list, operator: 'hasItem', column: 'list' },
    {
      name: 'text',
      property: properties.title,
      operator: 'text',
      column: 'title_folded',
      columns: ['title_folded', 'code_folded'],
      indexed: true,
    },
    { name: 'parentId', property: properties.parentId, operator: 'equals', column: 'parentId' },
  ],
  sorts: [
    { property: properties.title, casemapColumn: 'title_casemap', indexed: true },
    { property: properties.rank, indexed: true },
    { property: properties.due, indexed: true },
    { property: properties.starts, column: 'starts_instant', indexed: true },
  ],
  shadows: [
    { column: 'title_folded', property: properties.title, transform: 'fold' },
    { column: 'title_casemap', property: properties.title, transform: 'casemap' },
    { column: 'code_folded', property: properties.code, transform: 'fold' },
    { column: 'starts_instant', property: properties.starts, transform: 'instant' },
  ],
  uniques: [
    { name: 'code', properties: [properties.code] },
    { name: 'parentId+rank', properties: [properties.parentId, properties.rank] },
  ],
  search: { name: 'Gadget_search', columns: ['title_folded', 'code_folded'] },
  limits: { count: 10000, octets: 100000 },
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
    capability: 'https://example.com/jmap/rich',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.get,
    acceptSnakeCase: false,
    validateArguments: standard.getArguments,
    handle: (args: jmap.GetArguments, context: jmap.MethodContext) =>
      context.standard.get(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.GetArguments, jmap.GetResponse<GadgetShape>>,
  {
    name: 'Gadget/changes',
    capability: 'https://example.com/jmap/rich',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.changes,
    acceptSnakeCase: false,
    validateArguments: standard.changesArguments,
    handle: (args: jmap.ChangesArguments, context: jmap.MethodContext) =>
      context.standard.changes(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.ChangesArguments, jmap.ChangesResponse>,
  {
    name: 'Gadget/set',
    capability: 'https://example.com/jmap/rich',
    dataType: gadgetType,
    account: 'write',
    argumentNames: standard.argumentNames.set,
    acceptSnakeCase: false,
    validateArguments: standard.setArguments,
    handle: (args: jmap.SetArguments, context: jmap.MethodContext) =>
      context.standard.set(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.SetArguments, jmap.SetResponse<GadgetShape>>,
  {
    name: 'Gadget/query',
    capability: 'https://example.com/jmap/rich',
    dataType: gadgetType,
    account: 'read',
    argumentNames: [...standard.argumentNames.query, 'collapse'],
    furtherArguments: ['collapse'],
    acceptSnakeCase: false,
    validateArguments: validators.queryArguments,
    validateResponse: validators.queryResponse,
    handle: (args: jmap.QueryArguments & wire.GadgetQueryArguments, context: jmap.MethodContext) =>
      context.standard.query(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryArguments & wire.GadgetQueryArguments, jmap.QueryResponse & Partial<wire.GadgetQueryResponse>>,
  {
    name: 'Gadget/queryChanges',
    capability: 'https://example.com/jmap/rich',
    dataType: gadgetType,
    account: 'read',
    argumentNames: standard.argumentNames.queryChanges,
    acceptSnakeCase: false,
    validateArguments: standard.queryChangesArguments,
    handle: (args: jmap.QueryChangesArguments, context: jmap.MethodContext) =>
      context.standard.queryChanges(gadgetType, args),
  } satisfies jmap.MethodDefinition<jmap.QueryChangesArguments, jmap.QueryChangesResponse>,
]);
