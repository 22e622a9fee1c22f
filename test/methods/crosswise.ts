import { methods } from '../../generated/standard/methods.js';
import * as standard from '../../generated/standard/validators.js';
import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../../src/capability/capability-definition.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import type {
  DataTypeDefinition,
  FilterDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../src/capability/definition.js';
import type { Validator } from '../../src/capability/validation.js';
import { referring, type Whole } from '../support/references.js';

/**
 * Types after renames: no name is that of its table or column, and each is another's. `Task` is in
 * the table `Entry`, beside the type `Entry` in `Entry_2`; so it is with their properties.
 */

export const CROSSWISE = 'https://example.com/jmap/crosswise';

type More = Partial<PropertyDefinition>;

function property(name: string, column: string, kind: PropertyKind, more: More = {}) {
  const rest = { nullable: false, required: false, access: 'mutable' } as const;
  return { name, column, kind, ...rest, ...more } satisfies PropertyDefinition;
}

const nullable = { nullable: true, default: null };

function reference(name: string, column: string, to: Omit<Whole, 'form'>) {
  const more = { ...nullable, format: 'id', ...referring({ ...to, form: 'single' }) } as const;
  return property(name, column, 'string', more);
}

const STANDARD = [
  property('id', 'id', 'string', { role: 'id', access: 'serverSet' }),
  property('created', 'created', 'date', { role: 'created', access: 'serverSet' }),
  property('updated', 'updated', 'date', { role: 'updated', access: 'serverSet' }),
];

const heading = property('heading', 'title', 'string', { default: '' });
const title = property('title', 'title_2', 'string', { default: '' });
const code = property('code', 'size', 'string', nullable);
// Nullable until the version before: its column takes null still.
const size = property('size', 'code', 'integer', { default: 5 });

const TASK = [
  ...STANDARD,
  heading,
  title,
  code,
  size,
  reference('parent', 'entry', { type: 'Task', onDestroy: 'restrict', acyclic: true }),
  reference('entry', 'parent', { type: 'Entry', onDestroy: 'cascade', acyclic: false }),
  property('others', 'files', 'json', {
    default: [],
    ...referring({ type: 'Task', form: 'list', onDestroy: 'setNull', acyclic: false }),
  }),
  property('fileId', 'others', 'string', { ...nullable, blobs: [[]] }),
  property('slug', 'fileId', 'string', {
    ...nullable,
    access: 'serverSet',
    computed: { kind: 'from', properties: ['heading'] },
  }),
];

const ENTRY = [
  ...STANDARD,
  property('title', 'heading', 'string', { default: '' }),
  property('tasks', 'title', 'integer', {
    access: 'serverSet',
    default: 0,
    computed: { kind: 'count', type: 'Task', by: 'entry' },
  }),
  reference('entry', 'parent', { type: 'Task', onDestroy: 'setNull', acyclic: false }),
];

function filter(name: string, of: PropertyDefinition, more: Partial<FilterDefinition> = {}) {
  return { name, property: of, operator: 'equals', column: of.column, ...more } as FilterDefinition;
}

const contains = { operator: 'contains' } as const;
const accepts: Validator = Object.assign(() => true, { errors: null });

function dataType(
  name: string,
  table: string,
  properties: readonly PropertyDefinition[],
  more: Partial<DataTypeDefinition> = {},
): DataTypeDefinition {
  return {
    ...{ name, table, properties, capability: CROSSWISE, acceptSnakeCase: false },
    ...{ filters: [], sorts: [], shadows: [] },
    validate: { update: accepts, filter: accepts },
    ...more,
  };
}

const SEARCH = { name: 'Entry_search', columns: ['title_folded'] };

export const Task = dataType('Task', 'Entry', TASK, {
  filters: [
    filter('heading', heading, { ...contains, column: 'title_folded', indexed: true }),
    filter('title', title, { ...contains, column: 'title_2_folded' }),
    filter('code', code),
    filter('size', size),
  ],
  sorts: [
    { name: heading.name, property: heading, casemapColumn: 'title_casemap' },
    { name: size.name, property: size },
  ],
  shadows: [
    { column: 'title_folded', property: heading, transform: 'fold' },
    { column: 'title_casemap', property: heading, transform: 'casemap' },
    { column: 'title_2_folded', property: title, transform: 'fold' },
  ],
  uniques: [{ name: 'code', properties: [code] }],
  search: SEARCH,
  limits: { count: 100 },
});

export const Entry = dataType('Entry', 'Entry_2', ENTRY);

const TYPES = [Task, Entry];

/** `known` is a column that the types have not: another version's, with the database's default. */
export function crosswiseTables(text: string, json: string): readonly string[] {
  const own = `"accountId" ${text} NOT NULL, "id" ${text} NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "known" ${text} NOT NULL DEFAULT 'theirs'`;
  const key = 'PRIMARY KEY ("accountId", "id")';
  return [
    `CREATE TABLE "Entry" (${own}, "title" ${text} NOT NULL, "title_2" ${text} NOT NULL,
     "size" ${text}, "code" BIGINT, "entry" ${text}, "parent" ${text}, "files" ${json} NOT NULL,
     "others" ${text}, "fileId" ${text}, "title_folded" ${text}, "title_casemap" ${text},
     "title_2_folded" ${text}, ${key})`,
    `CREATE TABLE "Entry_2" (${own}, "heading" ${text} NOT NULL, "title" BIGINT NOT NULL,
     "parent" ${text}, ${key})`,
    // Of a type that this version has dropped, or not yet.
    `CREATE TABLE "Task" (${own}, ${key})`,
  ];
}

export const SEARCHED = { table: 'Entry', search: SEARCH };

function methodsOf(type: DataTypeDefinition): readonly MethodDefinition[] {
  const method = (
    verb: keyof typeof methods,
    account: MethodDefinition['account'],
    validateArguments: Validator,
  ): MethodDefinition => ({
    name: `${type.name}/${verb}`,
    capability: CROSSWISE,
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
    method('query', 'read', standard.queryArguments),
    method('queryChanges', 'read', standard.queryChangesArguments),
  ];
}

const hooks: CapabilityHooks = {
  types: { Task: { compute: { slug: ({ heading: text }) => String(text).toLowerCase() } } },
};

export const crosswiseCapability: CapabilityDefinition = {
  urn: CROSSWISE,
  name: 'crosswise',
  descriptorHash: 'sha256-crosswise',
  session: {},
  accountSession: {},
  bareSession: false,
  accountLevel: true,
  dataTypes: TYPES,
  methods: TYPES.flatMap(methodsOf),
  hooks,
};
