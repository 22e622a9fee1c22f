import type { DataTypeDefinition, FilterDefinition } from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import { fold } from '../../text/index.js';
import type { FilterCondition } from '../port.js';
import type { Composing } from './dialect.js';
import { type Fragment, raw, sql } from './fragment.js';

/** What a filter asks of texts, and where the type's search index can answer it. */

/** A longer combination costs more than it saves. */
const MAX_LOOKUPS = 20;

/** A SELECT `"_id"` of ids, each once, of how many lookups it is made. */
export interface Lookup {
  readonly ids: Fragment;
  readonly count: number;
}

/** Text to look for, as the column holds text: folded for a folding shadow column. */
export function needle(
  type: DataTypeDefinition,
  filter: FilterDefinition,
  value: JsonValue,
): string {
  const text = String(value);
  const shadow = type.shadows.find((candidate) => candidate.column === filter.column);
  return shadow?.transform === 'fold' ? fold(text) : text;
}

/** Each once: a word that is there twice asks for nothing more. */
export function wordsOf(
  type: DataTypeDefinition,
  filter: FilterDefinition,
  value: JsonValue,
): readonly string[] {
  const words = needle(type, filter, value).split(/\s+/u);
  return [...new Set(words)].filter((word) => word !== '');
}

export function columnsOf(filter: FilterDefinition): readonly string[] {
  return filter.columns ?? [filter.column];
}

/** What the search index says of a condition that it can narrow down. */
export function searchOf(
  { type, accountId, dialect }: Composing,
  { filter, value }: FilterCondition,
): { readonly beside: Fragment | null; readonly lookup: Lookup | null } {
  const { operator } = filter;
  const isSearch = operator === 'contains' || operator === 'text';
  if (filter.indexed !== true || type.search === undefined || !isSearch)
    return { beside: null, lookup: null };
  const target = { name: type.search.name, accountId };
  const words = operator === 'text' ? wordsOf(type, filter, value) : [needle(type, filter, value)];
  const { beside, lookup } = dialect.search(target, columnsOf(filter), words);
  return { beside, lookup: lookup && { ids: lookup, count: 1 } };
}

/** Of a conjunction either lookup will do, and both are better; a disjunction needs both. */
export function joinLookups(
  left: Lookup | null,
  right: Lookup | null,
  isAnd: boolean,
): Lookup | null {
  if (left === null || right === null) return isAnd ? (left ?? right) : null;
  const count = left.count + right.count;
  if (count > MAX_LOOKUPS) return isAnd ? left : null;
  const ids = sql`SELECT "_id" FROM (${left.ids}) ${raw(isAnd ? 'INTERSECT' : 'UNION')}
 SELECT "_id" FROM (${right.ids})`;
  return { ids, count };
}
