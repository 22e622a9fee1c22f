import type { PropertyDefinition } from '../../capability/definition.js';
import type { GroupsOfPlan, PlanShape, QueryPlan, QueryWindow } from '../port.js';
import type { SqlContext } from './dialect-port.js';
import { composedFilter } from './filter.js';
import { type Fragment, name, type Raw, raw, sql } from './fragment.js';
import { ALL, accountIs, orderBy, orderTerms, rows, scanning } from './query-statements.js';
import { isVisible, splitView } from './visible.js';

/**
 * The statements of a query whose result takes a shape. Each numbers the whole result once: whether
 * an object is in it, and where, depends on other objects.
 */

/** A plan with a shape. */
export type ShapedPlan = QueryPlan & { readonly shape: PlanShape };

/** Levels of a tree that decide its order. Objects further down stand in the order of the sort. */
const MAX_LEVELS = 1000;

/** Returns rows of a window of the shaped result; `list`: the columns. */
export function shapedWindow(
  context: SqlContext,
  plan: ShapedPlan,
  { limit, position }: QueryWindow,
  list: Raw,
): Fragment {
  const { type, accountId } = context;
  const all = composeShaped(context, plan);
  // CROSS JOIN: the result leads to its rows by their key.
  return scanning(sql`SELECT ${list} FROM (SELECT "_id", "_n" FROM (${all}) AS "_all"
 WHERE "_n" >= ${position} + 0 AND "_n" - ${position} < ${limit} + 0) AS "_shaped"
 CROSS JOIN ${name(type.table)}
 WHERE "accountId" = ${accountId} AND "id" = "_shaped"."_id" ORDER BY "_shaped"."_n"`);
}

/** Returns one row `[count]`. */
export function shapedCount(context: SqlContext, plan: ShapedPlan): Fragment {
  return scanning(sql`SELECT count(*) FROM (${composeShaped(context, plan)}) AS "_shaped"`);
}

/** Returns rows `[id, index]` of those ids that are in the result, in order of index. */
export function shapedRanks(
  context: SqlContext,
  plan: ShapedPlan,
  ids: readonly string[],
  depth: number | null,
): Fragment {
  const among = context.dialect.elements(JSON.stringify(ids), 'string');
  const near = depth === null ? sql`TRUE` : sql`"_n" < ${depth} + 0`;
  return scanning(sql`SELECT "_id", "_n" FROM (${composeShaped(context, plan)}) AS "_shaped"
 WHERE "_id" IN (${among}) AND ${near} ORDER BY "_n"`);
}

/** Returns rows `[id, group]`: the first object of each group without some others. */
export function firstsQuery(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  { by, groups, except }: GroupsOfPlan,
): Fragment {
  const { dialect } = context;
  const column = name(by.column);
  const order = orderBy(orderTerms(sort, dialect));
  const texts = (list: readonly string[]) => dialect.elements(JSON.stringify(list), 'string');
  return scanning(sql`SELECT "_id", "_by" FROM (SELECT "id" AS "_id", ${column} AS "_by",
 row_number() OVER (PARTITION BY ${column} ORDER BY ${order}) AS "_place"
 FROM ${rows(context, filter, ALL)} AND ${column} IN (${texts(groups)})
 AND "id" NOT IN (${texts(except)})) AS "_grouped" WHERE "_place" = 1`);
}

/**
 * Returns rows `[id]` of those of the ids that exist, and of all objects that lead to them by a
 * reference, which has the name that its records have.
 */
export function descendantsQuery(
  { type, accountId, dialect }: SqlContext,
  reference: string,
  ids: readonly string[],
  limit: number,
): Fragment {
  const { table } = type;
  return scanning(sql`WITH RECURSIVE "_below"("_id") AS (
 SELECT "id" FROM ${name(table)} WHERE "accountId" = ${accountId}
 AND "id" IN (${dialect.elements(JSON.stringify(ids), 'string')})
 UNION SELECT "r"."fromId" FROM "_below" CROSS JOIN "JmapReference" AS "r"
 WHERE "r"."accountId" = ${accountId} AND "r"."toType" = ${table} AND "r"."toId" = "_below"."_id"
 AND "r"."fromType" = ${table} AND "r"."property" = ${reference})
 SELECT "_id" FROM "_below" LIMIT ${limit} + 0`);
}

/** Returns rows `("_id", "_n")` of the whole result, numbered from 0. */
function composeShaped(context: SqlContext, plan: ShapedPlan): Fragment {
  const { shape } = plan;
  return shape.kind === 'collapse'
    ? composeCollapsed(context, plan, shape.by)
    : composeTree(context, plan, shape);
}

/** An object without a value stands for itself. */
function composeCollapsed(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  by: PropertyDefinition,
): Fragment {
  const order = orderBy(orderTerms(sort, context.dialect));
  return sql`SELECT "_id", row_number() OVER (ORDER BY "_order") - 1 AS "_n" FROM (
 SELECT "_id", "_by", "_order",
 row_number() OVER (PARTITION BY "_by" ORDER BY "_order") AS "_place" FROM (
 SELECT "id" AS "_id", ${name(by.column)} AS "_by",
 row_number() OVER (ORDER BY ${order}) AS "_order"
 FROM ${rows(context, filter, ALL)}) AS "_ordered") AS "_placed"
 WHERE "_place" = 1 OR "_by" IS NULL`;
}

/**
 * The path of an object is its ancestors' places in the order of all, and its own. An object whose
 * parent does not exist, or is not in the view, is a root. Objects that no root leads to stand
 * behind all others, each for itself: older versions may have stored parents that make a circle.
 */
function composeTree(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  { by, sorts, filters }: PlanShape & { readonly kind: 'tree' },
): Fragment {
  const { type, dialect } = context;
  const limited = splitView(filter);
  const { where } = composedFilter(context, limited?.rest ?? filter);
  const seen = limited === null ? sql`` : sql` AND ${isVisible(context, limited.view)}`;
  const order = orderBy(orderTerms(sort, dialect));
  const step = raw(dialect.pathStep('"a"."_order"'));
  const hit = raw(filters ? `"a"."_hit" * "t"."_hit"` : `"a"."_hit"`);
  const sorted = raw(sorts ? '"t"."_path" IS NULL, "t"."_path", "a"."_order"' : '"a"."_order"');
  return sql`WITH RECURSIVE "_all" AS (SELECT "id" AS "_id", ${name(by.column)} AS "_by",
 CASE WHEN ${where} THEN 1 ELSE 0 END AS "_hit", row_number() OVER (ORDER BY ${order}) AS "_order"
 FROM ${name(type.table)} WHERE ${accountIs(context, true)} AND ${dialect.tick}${seen}),
 "_tree"("_id", "_hit", "_path", "_level") AS (
 SELECT "a"."_id", "a"."_hit", ${step}, 1 FROM "_all" AS "a"
 LEFT JOIN "_all" AS "t" ON "t"."_id" = "a"."_by" WHERE "t"."_id" IS NULL
 UNION ALL SELECT "a"."_id", ${hit},
 CASE WHEN "t"."_level" < ${raw(String(MAX_LEVELS))}
 THEN "t"."_path" || ${step} ELSE "t"."_path" END, "t"."_level" + 1
 FROM "_tree" AS "t" JOIN "_all" AS "a" ON "a"."_by" = "t"."_id")
 SELECT "a"."_id", row_number() OVER (ORDER BY ${sorted}) - 1 AS "_n"
 FROM "_all" AS "a" LEFT JOIN "_tree" AS "t" ON "t"."_id" = "a"."_id"
 WHERE coalesce("t"."_hit", "a"."_hit") = 1`;
}
