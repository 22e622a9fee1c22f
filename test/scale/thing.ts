import type { DataTypeDefinition, FilterOperator } from '../../src/capability/definition.js';
import type { ModelFilter, ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type { FilterNode, QueryPlan, SortKey } from '../../src/store/port.js';
import { indexed, property, type } from '../scripts/migrations/models.js';

/**
 * A type with an index for every operator and sort that may have one, and rows of it without limit.
 */

const immutable = { access: 'immutable' } as const;
const title = property('title', 'string', immutable);
const code = property('code', 'string', { nullable: true });
const rank = property('rank', 'integer', { nullable: true });
const weight = property('weight', 'integer', immutable);
const due = property('due', 'date', { nullable: true });
const size = property('size', 'integer');
const created = property('created', 'date', { role: 'created', access: 'serverSet' });
const AT = title.at;

const filters = {
  title: condition('title', title, 'contains', 'title_folded'),
  begins: condition('begins', title, 'startsWith', 'title_folded'),
  words: {
    ...condition('words', title, 'text', 'title_folded'),
    columns: ['title_folded', 'code_folded'],
  },
  rank: condition('rank', rank, 'equals'),
  ranks: condition('ranks', rank, 'in'),
  atLeast: condition('atLeast', rank, 'atLeast'),
  atMost: condition('atMost', rank, 'atMost'),
  noRank: condition('noRank', rank, 'isNull'),
  before: condition('before', due, 'before'),
  after: condition('after', due, 'after'),
  due: condition('due', due, 'equals'),
  code: condition('code', code, 'equals'),
  size: condition('size', size, 'equals'),
};

const sorts = {
  title: indexed(title, 'title_casemap'),
  code: indexed(code, 'code_casemap'),
  rank: indexed(rank),
  weight: indexed(weight),
  size: { name: 'size', property: size, indexed: false, at: AT },
  created: indexed(created),
};

export const Thing: ModelType = type('Thing', [title, code, rank, weight, due, size], {
  filters: Object.values(filters),
  sorts: Object.values(sorts),
  folded: ['title', 'code'],
  casemapped: ['title', 'code'],
  uniques: [{ name: 'code+rank', properties: [code, rank], at: AT }],
  indexes: [
    { properties: [rank, weight], columns: ['rank', 'weight'], at: AT },
    { properties: [due], columns: ['due'], at: AT },
    { properties: [title], columns: ['title_folded'], at: AT },
  ],
  search: { name: 'Thing_search', columns: ['title_folded', 'code_folded'] },
});

export const definition = Thing as unknown as DataTypeDefinition;

function condition(
  name: string,
  of: ModelProperty,
  operator: FilterOperator,
  column = of.column,
): ModelFilter {
  const held = name === 'size' ? {} : { indexed: true as const };
  return { name, property: of, operator, column, schema: {}, description: '', at: AT, ...held };
}

export function meets(name: keyof typeof filters, value: JsonValue): FilterNode {
  return { kind: 'condition', filter: filters[name], value };
}

export function all(...conditions: readonly FilterNode[]): FilterNode {
  return { kind: 'operator', operator: 'AND', conditions };
}

export const ALL: FilterNode = { kind: 'all' };

/** `title`, or `-rank` for descending. */
export function sortKey(text: string): SortKey {
  const sort = sorts[text.replace('-', '') as keyof typeof sorts] as SortKey['sort'];
  return { sort, ascending: !text.startsWith('-'), collation: 'i;unicode-casemap' };
}

export function plan(filter: FilterNode, ...sort: readonly string[]): QueryPlan {
  return { filter, sort: sort.map(sortKey) };
}

/** The order is another one by each property; a null now and then. */
export const COLUMNS = `"accountId", "id", "created", "updated", "title", "code", "rank", "weight",
 "due", "size", "title_folded", "code_folded", "title_casemap", "code_casemap"`;

/** Values of the row `n`, a primary number's multiples being everywhere; both databases take it. */
export function values(account: string): string {
  const of = (prime: number): string => `(n * CAST(${prime} AS BIGINT) % 1000003)`;
  const text = (word: string): string => `'${word} ' || (1000000 + ${of(7919)})`;
  return `${account}, 'r' || (10000000 + n), n, n, ${text('text')} || ' война ' || n,
 'c' || n, CASE n % 50 WHEN 0 THEN NULL ELSE ${of(104_729)} END, ${of(31_337)},
 CASE n % 3 WHEN 0 THEN NULL ELSE ${of(1_299_709)} END, n % 97,
 ${text('text')} || ' война ' || n, 'c' || n, ${text('TEXT')} || ' ВОЙНА ' || n, 'C' || n`;
}
