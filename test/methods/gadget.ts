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
  OnDestroy,
  PropertyDefinition,
  PropertyKind,
} from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';
import { referring } from '../support/references.js';

/** Types that refer to one another, with all that follows from it, and a singleton. */

const CAPABILITY = 'https://example.com/jmap/gadgets';

export function property(
  name: string,
  kind: PropertyKind,
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  const rest = { nullable: false, required: false, access: 'mutable' } as const;
  return { name, column: name, kind, ...rest, ...more };
}

function single(name: string, onDestroy: OnDestroy, acyclic = false): PropertyDefinition {
  const to = referring({ type: 'Gadget', form: 'single', onDestroy, acyclic });
  return property(name, 'string', { nullable: true, default: null, format: 'id', ...to });
}

export const STANDARD = [
  property('id', 'string', { role: 'id', access: 'serverSet' }),
  property('created', 'date', { role: 'created', access: 'serverSet' }),
  property('updated', 'date', { role: 'updated', access: 'serverSet' }),
];

const code = property('code', 'string', { nullable: true, default: null });
const shelf = property('shelf', 'string', { nullable: true, default: null });
const slot = property('slot', 'integer', { nullable: true, default: null });

const slug = property('slug', 'string', {
  nullable: true,
  default: null,
  access: 'serverSet',
  computed: { kind: 'from', properties: ['title'] },
});

function counted(name: string, type: string, by: string): PropertyDefinition {
  const computed = { kind: 'count', type, by } as const;
  return property(name, 'integer', { access: 'serverSet', default: 0, computed });
}

const GADGET = [
  ...STANDARD,
  property('title', 'string', { required: true }),
  code,
  shelf,
  slot,
  counted('count', 'Gadget', 'parentId'),
  counted('parts', 'Part', 'gadgetId'),
  slug,
  property('size', 'integer', {
    access: 'serverSet',
    default: 0,
    computed: { kind: 'from', properties: ['links', 'count'] },
  }),
  single('parentId', 'restrict', true),
  single('ownerId', 'cascade'),
  property('links', 'json', {
    default: {},
    ...referring({ type: 'Gadget', form: 'set', onDestroy: 'setNull', acyclic: false }),
  }),
  property('others', 'json', {
    default: [],
    ...referring({ type: 'Gadget', form: 'list', onDestroy: 'setNull', acyclic: false }),
  }),
  property('cost', 'integer', { access: 'internal', default: 7 }),
  property('pin', 'string', { access: 'secret', secret: 'hash', nullable: true, default: null }),
];

const PART = [...STANDARD, single('gadgetId', 'cascade')];
const SETTING = [...STANDARD, property('theme', 'string', { default: 'light' })];

export const GADGET_TABLES = `CREATE TABLE "Gadget" (
  "accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "title" TEXT NOT NULL, "code" TEXT, "shelf" TEXT, "slot" BIGINT,
  "count" BIGINT NOT NULL, "parts" BIGINT NOT NULL, "slug" TEXT, "size" BIGINT NOT NULL,
  "parentId" TEXT, "ownerId" TEXT,
  "links" JSONB NOT NULL, "others" JSONB NOT NULL, "cost" BIGINT NOT NULL, "pin" TEXT,
  PRIMARY KEY ("accountId", "id"));
CREATE TABLE "Part" ("accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "gadgetId" TEXT, PRIMARY KEY ("accountId", "id"));
CREATE TABLE "Setting" ("accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "theme" TEXT NOT NULL, PRIMARY KEY ("accountId", "id"));`;

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const gadgetSchemas = {
  title: { type: 'string', maxLength: 500 },
  code: textOrNull,
  shelf: textOrNull,
  slot: { type: 'integer', nullable: true },
  parentId: textOrNull,
  ownerId: textOrNull,
  links: { type: 'object', additionalProperties: { const: true } },
  others: { type: 'array', items: text },
  pin: textOrNull,
};

function validator(properties: object, required: readonly string[] = []): Validator {
  const ajv = new Ajv({ allErrors: true, strict: false });
  const shape = { type: 'object', properties, required, additionalProperties: false };
  return ajv.compile(shape) as Validator;
}

export function dataType(
  name: string,
  properties: readonly PropertyDefinition[],
  schemas: object,
  more: Partial<DataTypeDefinition> = {},
): DataTypeDefinition {
  return {
    name,
    capability: CAPABILITY,
    table: name,
    acceptSnakeCase: false,
    properties,
    filters: [],
    sorts: [],
    shadows: [],
    errors: ['isKept'],
    validate: {
      update: validator(schemas),
      filter: validator({}),
    },
    ...more,
  };
}

export const GADGET_LIMIT = 600;

const TYPES = [
  dataType('Gadget', GADGET, gadgetSchemas, {
    uniques: [
      { name: 'code', properties: [code] },
      { name: 'slug', properties: [slug] },
      { name: 'shelf+slot', properties: [shelf, slot] },
    ],
    limits: { count: GADGET_LIMIT, octets: 600 },
  }),
  dataType('Part', PART, { gadgetId: textOrNull }),
  dataType('Setting', SETTING, { theme: text }, { singleton: true }),
];

export function methodsOf(type: DataTypeDefinition): readonly MethodDefinition[] {
  const method = (
    verb: keyof typeof methods,
    account: MethodDefinition['account'],
    validateArguments: Validator,
  ): MethodDefinition => ({
    name: `${type.name}/${verb}`,
    capability: type.capability,
    dataType: type,
    account,
    argumentNames: methods[verb].argumentNames ?? [],
    acceptSnakeCase: false,
    validateArguments,
    body: verb,
  });
  return [
    method('get', 'read', standard.getArguments),
    method('changes', 'read', standard.changesArguments),
    method('set', 'write', standard.setArguments),
    method('copy', 'write', standard.copyArguments),
  ];
}

/**
 * The hooks that a file would add: `slug` of titles that begin with "s:", `size` of links and
 * children.
 */
export const gadgetHooks: CapabilityHooks = {
  types: {
    Gadget: {
      compute: {
        slug: ({ title }) => (/^s:/.test(String(title)) ? String(title).slice(2) : null),
        size: ({ links, count }) => Object.keys(links as object).length + Number(count),
      },
    },
  },
};

export const gadgetCapability: CapabilityDefinition = {
  urn: CAPABILITY,
  name: 'gadgets',
  descriptorHash: 'sha256-gadgets',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: TYPES,
  methods: TYPES.flatMap(methodsOf),
};
