import { Ajv } from 'ajv';
import { methods } from '../../generated/standard/methods.js';
import * as standard from '../../generated/standard/validators.js';
import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../../src/capability/capability-definition.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';

/**
 * A data type with the rarer kinds of properties, written by hand as the generator would emit it.
 */

export function property(
  name: string,
  kind: PropertyKind,
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  const rest = { nullable: false, required: false, access: 'mutable' } as const;
  return { name, column: name, kind, ...rest, ...more };
}

const nullable = { nullable: true, default: null };

const PROPERTIES = {
  id: property('id', 'string', { role: 'id', access: 'serverSet' }),
  created: property('created', 'date', { role: 'created', access: 'serverSet' }),
  updated: property('updated', 'date', { role: 'updated', access: 'serverSet' }),
  title: property('title', 'string', { required: true }),
  kind: property('kind', 'string', { access: 'immutable', default: 'small' }),
  rankNumber: property('rankNumber', 'integer', { default: 0 }),
  score: property('score', 'number', nullable),
  count: property('count', 'integer', { access: 'serverSet', default: 0 }),
  due: property('due', 'date', nullable),
  tags: property('tags', 'json', { default: {} }),
  meta: property('meta', 'json', { default: {} }),
  list: property('list', 'json', { default: [] }),
  blobId: property('blobId', 'string', { ...nullable, blobs: [[]] }),
  iconId: property('iconId', 'string', { ...nullable, blobs: [[]] }),
};

/** The columns as a migration would declare them. */
export const WIDGET_TABLE = `CREATE TABLE "Widget" (
  "accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "title" TEXT NOT NULL, "kind" TEXT NOT NULL,
  "rankNumber" BIGINT NOT NULL, "score" REAL, "count" BIGINT NOT NULL, "due" BIGINT,
  "tags" JSONB NOT NULL, "meta" JSONB NOT NULL, "list" JSONB NOT NULL, "blobId" TEXT,
  "iconId" TEXT, "title_folded" TEXT NOT NULL DEFAULT '',
  "title_casemap" TEXT NOT NULL DEFAULT '', PRIMARY KEY ("accountId", "id"))`;

export const SCHEMAS = {
  title: { type: 'string', maxLength: 20 },
  kind: { type: 'string', enum: ['small', 'large'] },
  rankNumber: { type: 'integer', minimum: -10, maximum: 10 },
  score: { type: 'number', nullable: true },
  due: { type: 'string', nullable: true },
  tags: { type: 'object', additionalProperties: { const: true } },
  meta: {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } },
  },
  list: { type: 'array', items: { type: 'string' } },
  blobId: { type: 'string', nullable: true },
  iconId: { type: 'string', nullable: true },
};

const FILTER_SCHEMAS = {
  title: { type: 'string' },
  kind: { type: 'string' },
  kindIn: { type: 'array', items: { type: 'string' } },
  minRank: { type: 'integer' },
  dueBefore: { type: 'string' },
  score: { type: 'number' },
};

export function validator(properties: object, required: readonly string[] = []): Validator {
  const ajv = new Ajv({ allErrors: true, strict: false });
  return ajv.compile({
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
  }) as Validator;
}

export const Widget: DataTypeDefinition = {
  name: 'Widget',
  capability: 'https://example.com/jmap/widgets',
  table: 'Widget',
  acceptSnakeCase: true,
  properties: Object.values(PROPERTIES),
  filters: [
    { name: 'title', property: PROPERTIES.title, operator: 'contains', column: 'title_folded' },
    { name: 'kind', property: PROPERTIES.kind, operator: 'equals', column: 'kind' },
    { name: 'kindIn', property: PROPERTIES.kind, operator: 'in', column: 'kind' },
    { name: 'minRank', property: PROPERTIES.rankNumber, operator: 'atLeast', column: 'rankNumber' },
    { name: 'dueBefore', property: PROPERTIES.due, operator: 'before', column: 'due' },
    { name: 'score', property: PROPERTIES.score, operator: 'equals', column: 'score' },
  ],
  sorts: [
    { name: PROPERTIES.title.name, property: PROPERTIES.title, casemapColumn: 'title_casemap' },
    { name: PROPERTIES.kind.name, property: PROPERTIES.kind, casemapColumn: 'kind' },
    { name: PROPERTIES.rankNumber.name, property: PROPERTIES.rankNumber },
    { name: PROPERTIES.created.name, property: PROPERTIES.created },
    { name: PROPERTIES.id.name, property: PROPERTIES.id },
  ],
  shadows: [
    { column: 'title_folded', property: PROPERTIES.title, transform: 'fold' },
    { column: 'title_casemap', property: PROPERTIES.title, transform: 'casemap' },
  ],
  errors: ['mailboxHasChild', 'example.com:locked'],
  validate: {
    update: validator(SCHEMAS),
    filter: validator(FILTER_SCHEMAS),
  },
};

/** A standard method of a type, as the generator would emit it. */
export function method(
  type: DataTypeDefinition,
  verb: keyof typeof methods,
  account: MethodDefinition['account'],
  validateArguments: Validator,
): MethodDefinition {
  return {
    name: `${type.name}/${verb}`,
    capability: type.capability,
    dataType: type,
    account,
    argumentNames: methods[verb].argumentNames ?? [],
    acceptSnakeCase: true,
    validateArguments,
    body: verb,
  };
}

export function widgetCapability(
  logic: {
    readonly hooks?: CapabilityHooks;
    readonly methods?: readonly MethodDefinition[];
    readonly widget?: DataTypeDefinition;
  } = {},
): CapabilityDefinition {
  const type = logic.widget ?? Widget;
  return {
    urn: Widget.capability,
    name: 'widgets',
    descriptorHash: 'sha256-test',
    session: {},
    accountSession: {},
    bareSession: false,
    accountLevel: true,
    dataTypes: [type],
    methods: [
      method(type, 'get', 'read', standard.getArguments),
      method(type, 'changes', 'read', standard.changesArguments),
      method(type, 'set', 'write', standard.setArguments),
      method(type, 'copy', 'write', standard.copyArguments),
      method(type, 'query', 'read', standard.queryArguments),
      method(type, 'queryChanges', 'read', standard.queryChangesArguments),
      {
        name: 'Widget/trick',
        capability: Widget.capability,
        account: 'none',
        acceptSnakeCase: false,
        validateArguments: () => true,
        body: 'hookFile',
      },
      ...(logic.methods ?? []),
    ],
    ...(logic.hooks === undefined ? {} : { hooks: logic.hooks }),
  };
}
