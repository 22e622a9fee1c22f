import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPlan } from '../port.js';
import type { Dialect } from './dialect.js';
import { composeFilter } from './filter.js';
import { type Fragment, name, raw, sql } from './fragment.js';
import { comesBefore, orderBy, orderTerms } from './order.js';

/** The statements of a query: one each, whatever the number of objects. */

/** Rows `[id]` of a window of the ordered result. */
export function idsQuery(
  type: DataTypeDefinition,
  accountId: string,
  plan: QueryPlan,
  window: { readonly position: number; readonly limit: number },
  dialect: Dialect,
): Fragment {
  const order = raw(orderBy(orderTerms(plan.sort, dialect)));
  return sql`SELECT "id" FROM ${rows(type, accountId, plan.filter, dialect)}
 ORDER BY ${order} LIMIT ${window.limit} OFFSET ${window.position}`;
}

/** One row `[count]`. */
export function countQuery(
  type: DataTypeDefinition,
  accountId: string,
  filter: FilterNode,
  dialect: Dialect,
): Fragment {
  return sql`SELECT count(*) FROM ${rows(type, accountId, filter, dialect)}`;
}

/** One row `[index]` of an id, none where it is not in the result: counts what comes before. */
export function rankQuery(
  type: DataTypeDefinition,
  accountId: string,
  plan: QueryPlan,
  id: string,
  dialect: Dialect,
): Fragment {
  const terms = orderTerms(plan.sort, dialect);
  const { where } = composeFilter(type, accountId, plan.filter, dialect);
  // An underscore in front: no property has such a name.
  const keys = terms.map((term, index) => `${term.expression} AS "_k${index}"`).join(', ');
  const before = comesBefore(terms, (index) => `"_target"."_k${index}"`);
  const table = name(type.table);
  return sql`WITH "_target" AS MATERIALIZED (
 SELECT ${raw(keys)} FROM ${table} WHERE "accountId" = ${accountId} AND "id" = ${id} AND ${where})
SELECT (SELECT count(*) FROM "_target" CROSS JOIN ${rows(type, accountId, plan.filter, dialect)}
 AND ${raw(before)})
 FROM "_target"`;
}

/**
 * Rows `[id, index]` of those ids that are in the result, in order of index: numbers the whole
 * result once.
 */
export function ranksQuery(
  type: DataTypeDefinition,
  accountId: string,
  plan: QueryPlan,
  ids: readonly string[],
  dialect: Dialect,
): Fragment {
  const order = raw(orderBy(orderTerms(plan.sort, dialect)));
  return sql`SELECT "id", "n" FROM (
 SELECT "id", row_number() OVER (ORDER BY ${order}) - 1 AS "n"
 FROM ${rows(type, accountId, plan.filter, dialect)}) AS "numbered"
 WHERE "id" IN (${dialect.elements(JSON.stringify(ids), 'string')}) ORDER BY "n"`;
}

function rows(
  type: DataTypeDefinition,
  accountId: string,
  filter: FilterNode,
  dialect: Dialect,
): Fragment {
  const { where, lookup } = composeFilter(type, accountId, filter, dialect);
  const own = sql`"accountId" = ${accountId} AND ${dialect.tick} AND ${where}`;
  if (lookup === null) return sql`${name(type.table)} WHERE ${own}`;
  // CROSS JOIN: what was looked up leads to rows by their key, whatever other index there is.
  return sql`(${lookup}) AS "_found" CROSS JOIN ${name(type.table)}
 WHERE "id" = "_found"."_id" AND ${own}`;
}
