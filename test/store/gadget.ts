import type {
  DataTypeDefinition,
  FilterDefinition,
  FilterOperator,
  PropertyDefinition,
  PropertyKind,
  SearchIndexDefinition,
  SortDefinition,
  UniqueDefinition,
} from '../../src/capability/definition.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type {
  Collation,
  FilterNode,
  QueryPlan,
  Snapshot,
  SortKey,
  StoredObject,
} from '../../src/store/port.js';
import { referring } from '../support/references.js';

/** A data type with a property of every kind, written by hand as the generator would emit it. */

function property(
  name: string,
  kind: PropertyKind,
  more: Partial<PropertyDefinition> = {},
): PropertyDefinition {
  return {
    name,
    column: name,
    kind,
    nullable: false,
    required: false,
    access: 'mutable',
    ...more,
  };
}

const nullable = { nullable: true, default: null };

export const PROPERTIES = {
  id: property('id', 'string', { role: 'id', access: 'serverSet' }),
  created: property('created', 'date', { role: 'created', access: 'serverSet' }),
  updated: property('updated', 'date', { role: 'updated', access: 'serverSet' }),
  title: property('title', 'string', { required: true }),
  code: property('code', 'string', nullable),
  done: property('done', 'boolean', { default: false }),
  rank: property('rank', 'integer', nullable),
  score: property('score', 'number', nullable),
  due: property('due', 'date', nullable),
  meta: property('meta', 'json', nullable),
  blobId: property('blobId', 'string', { ...nullable, blobs: [[]] }),
  tags: property('tags', 'json', nullable),
  list: property('list', 'json', nullable),
  held: property('held', 'string', { ...nullable, format: 'date' }),
  local: property('local', 'string', { ...nullable, format: 'local-date-time' }),
};

type Name = keyof typeof PROPERTIES;

function filter(
  name: string,
  of: Name,
  operator: FilterOperator,
  column?: string,
): FilterDefinition {
  return { name, property: PROPERTIES[of], operator, column: column ?? of };
}

/** The columns that text filters read, and the search index holds. */
const FOLDED: readonly string[] = ['title_folded', 'code_folded'];

export const FILTERS = {
  title: filter('title', 'title', 'contains', 'title_folded'),
  titleStart: filter('titleStart', 'title', 'startsWith', 'title_folded'),
  titleIs: filter('titleIs', 'title', 'equals'),
  code: filter('code', 'code', 'equals'),
  codeText: filter('codeText', 'code', 'contains', 'code_folded'),
  codeIn: filter('codeIn', 'code', 'in'),
  noCode: filter('noCode', 'code', 'isNull'),
  done: filter('done', 'done', 'equals'),
  doneIn: filter('doneIn', 'done', 'in'),
  rank: filter('rank', 'rank', 'equals'),
  rankIn: filter('rankIn', 'rank', 'in'),
  minRank: filter('minRank', 'rank', 'atLeast'),
  maxRank: filter('maxRank', 'rank', 'atMost'),
  score: filter('score', 'score', 'equals'),
  scoreIn: filter('scoreIn', 'score', 'in'),
  before: filter('before', 'due', 'before'),
  after: filter('after', 'due', 'after'),
  due: filter('due', 'due', 'equals'),
  hasTag: filter('hasTag', 'tags', 'hasKey'),
  hasItem: filter('hasItem', 'list', 'hasItem'),
  heldBefore: filter('heldBefore', 'held', 'before', 'held_instant'),
  heldAfter: filter('heldAfter', 'held', 'after', 'held_instant'),
  held: filter('held', 'held', 'equals', 'held_instant'),
  heldIn: filter('heldIn', 'held', 'in', 'held_instant'),
  localBefore: filter('localBefore', 'local', 'before'),
  text: { ...filter('text', 'title', 'text', 'title_folded'), columns: FOLDED },
  found: { ...filter('found', 'title', 'contains', 'title_folded'), indexed: true as const },
  foundCode: { ...filter('foundCode', 'code', 'contains', 'code_folded'), indexed: true as const },
  foundText: {
    ...filter('foundText', 'title', 'text', 'title_folded'),
    columns: FOLDED,
    indexed: true as const,
  },
};

const SORTS: Readonly<Partial<Record<Name, SortDefinition>>> = {
  id: { name: 'id', property: PROPERTIES.id },
  created: { name: 'created', property: PROPERTIES.created },
  updated: { name: 'updated', property: PROPERTIES.updated },
  title: { name: 'title', property: PROPERTIES.title, casemapColumn: 'title_casemap' },
  code: { name: 'code', property: PROPERTIES.code, casemapColumn: 'code_casemap' },
  done: { name: 'done', property: PROPERTIES.done },
  rank: { name: 'rank', property: PROPERTIES.rank },
  score: { name: 'score', property: PROPERTIES.score },
  due: { name: 'due', property: PROPERTIES.due },
  held: { name: 'held', property: PROPERTIES.held, column: 'held_instant' },
  local: { name: 'local', property: PROPERTIES.local },
};

function unique(...names: readonly Name[]): UniqueDefinition {
  return { name: names.join('+'), properties: names.map((name) => PROPERTIES[name]) };
}

export const UNIQUES = {
  code: unique('code'),
  rank: unique('rank'),
  score: unique('score'),
  done: unique('done'),
  due: unique('due'),
  held: unique('held'),
  codeRank: unique('code', 'rank'),
  all: unique('done', 'due', 'title', 'score'),
};

export const SEARCH: SearchIndexDefinition = { name: 'Gadget_search', columns: FOLDED };

/** The table, with the database's types of text (bytewise order) and of JSON. */
export function gadgetTable(text: string, json: string): string {
  return `CREATE TABLE "Gadget" (
  "accountId" ${text} NOT NULL, "id" ${text} NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "title" ${text} NOT NULL, "code" ${text}, "done" BOOLEAN NOT NULL,
  "rank" BIGINT, "score" DOUBLE PRECISION, "due" BIGINT, "meta" ${json}, "blobId" ${text},
  "tags" ${json}, "list" ${json}, "held" ${text}, "local" ${text},
  "title_folded" ${text} NOT NULL DEFAULT '', "title_casemap" ${text} NOT NULL DEFAULT '',
  "code_folded" ${text}, "code_casemap" ${text}, "held_instant" BIGINT,
  PRIMARY KEY ("accountId", "id"))`;
}

const accepts = (): boolean => true;

export const Gadget: DataTypeDefinition = {
  name: 'Gadget',
  capability: 'urn:example:gadgets',
  table: 'Gadget',
  acceptSnakeCase: false,
  properties: Object.values(PROPERTIES),
  filters: Object.values(FILTERS),
  sorts: Object.values(SORTS),
  shadows: [
    ...(['title', 'code'] as const).flatMap((name) => [
      { column: `${name}_folded`, property: PROPERTIES[name], transform: 'fold' as const },
      { column: `${name}_casemap`, property: PROPERTIES[name], transform: 'casemap' as const },
    ]),
    { column: 'held_instant', property: PROPERTIES.held, transform: 'instant' },
  ],
  uniques: Object.values(UNIQUES),
  search: SEARCH,
  validate: { update: accepts, filter: accepts },
};

function refersToGadget(name: string): PropertyDefinition {
  const to = { type: 'Gadget', onDestroy: 'setNull', acyclic: false } as const;
  return property(name, 'json', { ...nullable, ...referring({ ...to, form: 'list' }) });
}

const { search: _, ...UNSEARCHED } = Gadget;

/**
 * The types of a store: Gadget with references that are records alone, and two more types.
 */
export const TYPES: readonly DataTypeDefinition[] = [
  {
    ...Gadget,
    properties: [...Gadget.properties, ...['parentId', 'links', 'link'].map(refersToGadget)],
  },
  // They have no tables, and so no index of their own.
  ...['Widget', 'Other'].map((name) => ({
    ...UNSEARCHED,
    ...{ name, table: name, properties: [...Gadget.properties, refersToGadget('parentId')] },
  })),
];

export function condition(name: keyof typeof FILTERS, value: JsonValue): FilterNode {
  return { kind: 'condition', filter: FILTERS[name], value };
}

export function operator(
  name: 'AND' | 'OR' | 'NOT',
  ...conditions: readonly FilterNode[]
): FilterNode {
  return { kind: 'operator', operator: name, conditions };
}

/** `title`, `-rank` (descending), `code i;octet`. */
export function sortKey(text: string): SortKey {
  const [, minus, name, collation] = /^(-?)(\w+)(?: (.+))?$/.exec(text) ?? [];
  const sort = SORTS[name as Name];
  if (sort === undefined) throw new Error(`no sort: ${text}`);
  return {
    sort,
    ascending: minus === '',
    collation: (collation ?? 'i;unicode-casemap') as Collation,
  };
}

export const ALL: FilterNode = { kind: 'all' };

export function plan(filterNode: FilterNode, ...sort: readonly string[]): QueryPlan {
  return { filter: filterNode, sort: sort.map(sortKey) };
}

/** The ids of a window of a query's result. */
export async function queryIds(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  query: QueryPlan,
  position: number,
  limit: number,
): Promise<readonly string[]> {
  return (await snapshot.page(type, query, { position, limit }, null)).ids;
}

/** A whole object: unless given, the empty value of each property. */
export function gadget(id: string, more: Readonly<Record<string, JsonValue>> = {}): StoredObject {
  return {
    id,
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
    title: '',
    code: null,
    done: false,
    rank: null,
    score: null,
    due: null,
    meta: null,
    blobId: null,
    tags: null,
    list: null,
    held: null,
    local: null,
    ...more,
  };
}

export function gadgets(
  count: number,
  more: (index: number) => Readonly<Record<string, JsonValue>> = () => ({}),
): readonly StoredObject[] {
  return Array.from({ length: count }, (_, index) =>
    gadget(`r${String(index).padStart(6, '0')}`, more(index)),
  );
}
