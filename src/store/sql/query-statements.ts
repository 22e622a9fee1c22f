import type { SortDefinition, SortOperator } from '../../capability/definition.js';
import { sortColumn } from '../../capability/shadow-transforms.js';
import type { FilterNode, QueryPlan, QueryWindow, SortKey } from '../port.js';
import type { Dialect, SqlContext } from './dialect-port.js';
import { type ComposedFilter, composedFilter, itemOperand, type Lookup } from './filter.js';
import { type Fragment, name, quote, type Raw, raw, type SqlValue, sql } from './fragment.js';
import { heldRows, splitView, visibleIds } from './visible.js';

/** The statements of a query: one each, whatever the number of objects. */

/** Of more ranges, or of a longer filter that each repeats, one condition is made. */
const MAX_RANGES = 8;
const MAX_REPEATED = 1000;

/**
 * The most ids that are each compared with each object; for more, all objects are numbered. For
 * that SQLite first writes each row to a table: with 5,000 objects this takes as long as some
 * twenty comparisons with each. PostgreSQL compares 10 of 5,000 texts in 3 ms and sorts them in 11.
 */
const COUNTED_RANKS = 16;

/** A column's name, in quotes. */
const COLUMN = /^"[^"]+"$/;

/** Rows that are sorted rather than looked for in an order that exists. */
const FEW = 5000;
/** Objects of a view, each by each of its scopes, that are sorted rather than found in an order. */
const FEW_VISIBLE = 1000;

/**
 * Asks how many rows, at most one more than few, ordered indexes find for the filter: one row
 * `[whether they are few]`. Null where nothing depends on it.
 */
export function fewQuery(context: SqlContext, plan: QueryPlan): Fragment | null {
  if (plan.shape !== undefined) return null;
  const { type, dialect } = context;
  const limited = splitView(plan.filter);
  if (limited !== null && !asksForIds(limited.rest)) {
    if (orderTerms(plan.sort, dialect)[0]?.indexed !== true) return null;
    const held = heldRows(context, limited.view);
    const limit = raw(String(FEW_VISIBLE + 1));
    // Not DISTINCT: PostgreSQL would find all objects of the view before it counts some.
    return sql`SELECT count(*) <= ${FEW_VISIBLE} FROM (SELECT 1 ${held} LIMIT ${limit}) AS "_few"`;
  }
  if (!hasIndexed(plan.filter)) return null;
  const { lookup, ordered } = composedFilter(context, plan.filter);
  if (ordered === null || lookup !== null) return null;
  if (orderTerms(plan.sort, dialect)[0]?.indexed !== true) return sql`SELECT 1`;
  const account = accountIs(context, true);
  return sql`SELECT count(*) <= ${FEW} FROM (SELECT 1 FROM ${name(type.table)}
 WHERE ${account} AND ${dialect.tick} AND ${ordered} LIMIT ${raw(String(FEW + 1))})`;
}

/** Returns whether the objects are named. */
function asksForIds(filter: FilterNode): boolean {
  if (filter.kind === 'operator')
    return filter.operator === 'AND' && filter.conditions.some(asksForIds);
  return filter.kind === 'condition' && filter.filter.property.role === 'id';
}

/**
 * Returns whether some condition has an index at all: most filters needn't be composed to know it.
 */
function hasIndexed(node: FilterNode): boolean {
  if (node.kind === 'condition') return node.filter.indexed === true;
  return node.kind === 'operator' && node.conditions.some(hasIndexed);
}

/** Returns whether an index may have a window's order, so that not all of the account is read. */
export function readsInOrder({ sort, shape }: QueryPlan, dialect: Dialect): boolean {
  return shape === undefined && orderTerms(sort, dialect)[0]?.indexed === true;
}

/** How a window is read. */
export interface WindowWay {
  /** The columns. */
  readonly list: Raw;
  /**
   * Sorts what the filter's indexes find; otherwise an index of the order may be read until the
   * window is full.
   */
  readonly leads?: boolean;
}

/** Returns rows of a window of the ordered result. */
export function windowQuery(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  { limit, position }: QueryWindow,
  { list, leads = false }: WindowWay,
): Fragment {
  const terms = orderTerms(sort, context.dialect);
  const inOrder = terms[0]?.indexed === true;
  const found = rows(context, filter, { leads, inOrder, readsAll: !inOrder });
  // `+ 0`: SQLite plans a statement anew for each value that a bare LIMIT is bound to.
  const query = sql`SELECT ${list} FROM ${found}
 ORDER BY ${orderBy(terms)} LIMIT ${limit} + 0 OFFSET ${position}`;
  return inOrder ? query : scanning(query);
}

/** Returns one row `[count]`. */
export function countQuery(context: SqlContext, filter: FilterNode): Fragment {
  return scanning(sql`SELECT count(*) FROM ${rows(context, filter, ALL)}`);
}

/**
 * Composes one row `[count]` of the objects before one with these keys. If an index has the order,
 * it counts ranges of it and reads nothing behind them.
 */
export function rankQuery(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  keys: readonly SqlValue[],
): Fragment {
  const terms = orderTerms(sort, context.dialect);
  const { where, lookup } = composedFilter(context, filter);
  const counted = (condition: Fragment): Fragment =>
    sql`(SELECT count(*) FROM ${rows(context, filter)} AND ${condition})`;
  const ranges = terms[0]?.indexed === true && lookup === null ? rangesBefore(terms, keys) : [];
  const isShort = ranges.length <= MAX_RANGES && where.values.length <= MAX_REPEATED;
  const [first, ...rest] = isShort ? ranges.map(counted) : [];
  const count = first ?? counted(comesBefore(terms, keys));
  return scanning(sql`SELECT ${rest.reduce((a, b) => sql`${a} + ${b}`, count)}`);
}

/**
 * Returns whether it is better to compare so few ids with each object than to sort all: no index
 * has the order, and columns hold what is compared.
 */
export function countsRanks(plan: QueryPlan, ids: number, dialect: Dialect): boolean {
  const terms = orderTerms(plan.sort, dialect);
  return (
    ids <= COUNTED_RANKS &&
    terms[0]?.indexed !== true &&
    terms.every(({ expression: { texts } }) => COLUMN.test(texts.join('?')))
  );
}

/**
 * Returns rows `[id, ...keys]`, what orders them, of those ids that are in the result, in its
 * order.
 */
export function keysOfQuery(
  context: SqlContext,
  plan: QueryPlan,
  ids: readonly string[],
): Fragment {
  const { type, accountId, dialect } = context;
  const { where } = composedFilter(context, plan.filter);
  const terms = orderTerms(plan.sort, dialect);
  const keys = listed(terms.map(({ expression }) => expression));
  const elements = dialect.elements(JSON.stringify(ids), 'string');
  // CROSS JOIN: the ids lead to their rows, whatever index the filter has.
  return sql`SELECT "id", ${keys} FROM (${elements}) AS "_asked" CROSS JOIN ${name(type.table)}
 WHERE "accountId" = ${accountId} AND "id" = "_asked"."value" AND ${where}
 ORDER BY ${orderBy(terms)}`;
}

/**
 * Returns one row: for each of some objects how many of the result come before one with its keys.
 */
export function countsQuery(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  keys: readonly (readonly SqlValue[])[],
): Fragment {
  const terms = orderTerms(sort, context.dialect);
  const counts = listed(
    keys.map((each) => sql`count(*) FILTER (WHERE ${comesBefore(terms, each)})`),
  );
  return scanning(sql`SELECT ${counts} FROM ${rows(context, filter, ALL)}`);
}

/**
 * Composes rows `[id, index]` of those ids that are in the result, in order of index: numbers the
 * result once, or only the first `depth` of it.
 */
export function ranksQuery(
  context: SqlContext,
  { filter, sort }: QueryPlan,
  ids: readonly string[],
  depth: number | null,
): Fragment {
  const { dialect } = context;
  const terms = orderTerms(sort, dialect);
  const order = orderBy(terms);
  const inOrder = depth !== null && terms[0]?.indexed === true;
  const found = rows(context, filter, { leads: depth === null, inOrder });
  const numbered =
    depth === null
      ? sql`SELECT "id", row_number() OVER (ORDER BY ${order}) - 1 AS "n" FROM ${found}`
      : sql`SELECT "id", row_number() OVER () - 1 AS "n"
 FROM (SELECT "id" FROM ${found} ORDER BY ${order} LIMIT ${depth}) AS "first"`;
  return scanning(sql`SELECT "id", "n" FROM (${numbered}) AS "numbered"
 WHERE "id" IN (${dialect.elements(JSON.stringify(ids), 'string')}) ORDER BY "n"`);
}

/** Returns expressions with commas between. */
function listed(expressions: readonly Fragment[]): Fragment {
  return expressions.reduce((all, next) => sql`${all}, ${next}`);
}

export function scanning(query: Fragment): Fragment {
  return { ...query, scans: true };
}

/** How rows are found. */
export interface RowsWay {
  /** Reads all that indexes of the filter find. */
  readonly leads?: boolean;
  /**
   * Reads a window by an order whose beginning is indexed. SQLite would rather read a whole table
   * in key order and sort that, unless the account is said to be most of it.
   */
  readonly inOrder?: boolean;
  /** Nothing but an index of the filter could spare a row of the account. */
  readonly readsAll?: boolean;
}

export const ALL: RowsWay = Object.freeze({ leads: true, readsAll: true });

export function rows(
  context: SqlContext,
  filter: FilterNode,
  { leads = false, inOrder = false, readsAll = false }: RowsWay = {},
): Fragment {
  const { type, accountId, dialect } = context;
  // To look at all objects takes longer than to begin with those of the view.
  const isWithin = leads || readsAll;
  const { where, ordered, lookup } =
    (isWithin ? withinView(context, filter, leads) : null) ??
    composedFilter(context, filter, leads);
  const isCommon = ordered === null ? inOrder && lookup === null : leads;
  const account = accountIs(context, isCommon);
  const tick = readsAll ? dialect.tickOfScan(accountId, type.table) : sql`${dialect.tick}`;
  const byKey = readsAll && lookup === null && !hasIndexed(filter) ? dialect.byKey : undefined;
  const whose = byKey === undefined ? account : sql`${account} AND ${byKey}`;
  const own = sql`${whose} AND ${tick} AND ${where}`;
  if (lookup === null) return sql`${name(type.table)} WHERE ${own}`;
  // CROSS JOIN: what was looked up leads to rows by their key, whatever other index there is.
  return sql`(${lookup.ids}) AS "_found" CROSS JOIN ${name(type.table)}
 WHERE "id" = "_found"."_id" AND ${own}`;
}

/** Returns the filter as one that begins with the objects of its view; null where it has none. */
function withinView(
  context: SqlContext,
  filter: FilterNode,
  leads: boolean,
): (Pick<ComposedFilter, 'where' | 'ordered'> & { readonly lookup: Pick<Lookup, 'ids'> }) | null {
  const limited = splitView(filter);
  if (limited === null) return null;
  const { where, ordered, lookup } = composedFilter(context, limited.rest, leads);
  // An index that finds few is the better beginning.
  return lookup === null
    ? { where, ordered, lookup: { ids: visibleIds(context, limited.view) } }
    : null;
}

export function accountIs({ accountId, dialect }: SqlContext, isCommon: boolean): Fragment {
  const condition = sql`"accountId" = ${accountId}`;
  return isCommon ? (dialect.said?.(condition, 'common') ?? condition) : condition;
}

/** One expression of ORDER BY. */
export interface OrderTerm {
  readonly expression: Fragment;
  readonly ascending: boolean;
  readonly nullable: boolean;
  /** An ordered index of the account begins with it. */
  readonly indexed: boolean;
}

/**
 * Returns the total order of a query: its sort keys, then the id in the last one's direction. Ids
 * embed the creation time: an order by `created` with nothing behind is the primary key's. A key
 * behind decides between objects of one millisecond (RFC 8620 5.5): then all must be sorted.
 */
export function orderTerms(sort: readonly SortKey[], dialect: Dialect): readonly OrderTerm[] {
  const terms: OrderTerm[] = [];
  for (const [index, key] of sort.entries()) {
    const { property, by } = key.sort;
    const mayLack =
      property.nullable || property.optional === true || property.within !== undefined;
    const nullable = by === undefined && mayLack;
    if (isOrderOfIds(sort.slice(index))) return [...terms, idTerm(key.ascending)];
    // The same key again decides nothing; without it a client can't make the statement longer at
    // will.
    for (const expression of expressionsOf(key, dialect)) {
      if (terms.some((term) => isSameText(term.expression, expression))) continue;
      const indexed = isIndexed(key, expression, dialect);
      terms.push({ expression, ascending: key.ascending, nullable, indexed });
    }
  }
  return [...terms, idTerm(sort.at(-1)?.ascending ?? true)];
}

function isSameText(one: Fragment, other: Fragment): boolean {
  const text = ({ texts, values }: Fragment): string => JSON.stringify([texts, values]);
  return one === other || text(one) === text(other);
}

/** Returns whether these sort keys come to the order of ids, in the direction of the first. */
function isOrderOfIds([first, next]: readonly SortKey[]): boolean {
  const role = first?.sort.property.role;
  if (role !== 'created') return role === 'id';
  const isById = next?.sort.property.role === 'id' && next.ascending === first?.ascending;
  return next === undefined || isById;
}

function idTerm(ascending: boolean): OrderTerm {
  return { expression: column('id'), ascending, nullable: false, indexed: true };
}

/** Returns a column as an expression. */
function column(identifier: string): Fragment {
  return sql`${name(identifier)}`;
}

function isIndexed(key: SortKey, expression: Fragment, dialect: Dialect): boolean {
  const { indexed, casemapColumn, by } = key.sort;
  if (indexed !== true || by !== undefined) return false;
  const columnName = quote(sortColumn(key.sort));
  const indexedExpression =
    casemapColumn === undefined ? columnName : dialect.indexedText(columnName);
  return expression.texts.join('?') === indexedExpression;
}

/**
 * Returns the expressions that decide the order. If an index holds only a part of the key, that
 * part comes first and the whole key after it.
 */
function expressionsOf(key: SortKey, dialect: Dialect): readonly Fragment[] {
  const { casemapColumn, indexed, indexedBehind } = key.sort;
  const expression = expressionOf(key, dialect);
  const isKey = casemapColumn !== undefined && key.collation === 'i;unicode-casemap';
  return (indexed === true || indexedBehind === true) && isKey
    ? [sql`${raw(dialect.indexedText(quote(casemapColumn)))}`, expression]
    : [expression];
}

/** Both databases compare texts by their UTF-8 octets, and upper() knows ASCII alone. */
function expressionOf(key: SortKey, dialect: Dialect): Fragment {
  const { property, casemapColumn, by } = key.sort;
  if (by !== undefined) {
    const condition = holds(key.sort, by.operator, key.value ?? '', dialect);
    return sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
  }
  if (key.sort.column !== undefined) return column(key.sort.column);
  const own = quote(property.column);
  if (property.kind !== 'string') return sql`${raw(own)}`;
  switch (key.collation) {
    case 'i;unicode-casemap':
      return column(casemapColumn ?? property.column);
    case 'i;ascii-casemap':
      return sql`upper(${raw(own)})`;
    case 'i;ascii-numeric':
      return sql`${raw(dialect.asciiNumeric(own))}`;
    case 'i;octet':
      return sql`${raw(own)}`;
  }
}

/** Returns the condition by which a sort puts objects that meet it behind the others. */
function holds(
  { property, column = property.column }: SortDefinition,
  operator: SortOperator,
  value: string,
  dialect: Dialect,
): Fragment {
  const own = name(column);
  switch (operator) {
    case 'equals':
      return sql`${own} = ${value}`;
    case 'hasKey':
      return dialect.hasKey(own, value);
    case 'hasItem':
      return dialect.hasItem(own, itemOperand(property, value));
  }
}

/**
 * Returns the list after ORDER BY: nulls first ascending, last descending, said in words since
 * databases differ. Columns without nulls have it too: PostgreSQL doesn't use an index of another
 * order of nulls, and the generator's indexes have this one. The id at the end is as the primary
 * key has it.
 */
export function orderBy(terms: readonly OrderTerm[]): Fragment {
  return listed(
    terms.map(({ expression, ascending }, index) => {
      const nulls = ascending ? ' NULLS FIRST' : ' NULLS LAST';
      const isId = index === terms.length - 1;
      return sql`${expression} ${raw(`${ascending ? 'ASC' : 'DESC'}${isId ? '' : nulls}`)}`;
    }),
  );
}

/**
 * Composes the condition that a row comes before one with these keys. Row values can't say it:
 * comparing them is unknown if one holds a null.
 */
function comesBefore(terms: readonly OrderTerm[], keys: readonly SqlValue[]): Fragment {
  return terms.reduceRight((later, term, index) => {
    const key = keys[index] ?? null;
    const strictly = before(term, key);
    const tie = sql`${same(term, key)} AND ${later}`;
    return [...strictly, tie].reduce((all, next) => sql`(${all} OR ${next})`);
  }, sql`FALSE`);
}

/** Returns the same as ranges of an index over the terms, in sequence and without common rows. */
function rangesBefore(terms: readonly OrderTerm[], keys: readonly SqlValue[]): readonly Fragment[] {
  const ranges: Fragment[] = [];
  let tie = sql`TRUE`;
  for (const [index, term] of terms.entries()) {
    const key = keys[index] ?? null;
    for (const range of before(term, key)) ranges.push(sql`${tie} AND ${range}`);
    tie = sql`${tie} AND ${same(term, key)}`;
  }
  return ranges;
}

/** Nulls are the least of all: first ascending, last descending. */
function before(
  { expression, ascending, nullable }: OrderTerm,
  key: SqlValue,
): readonly Fragment[] {
  const operand = expression;
  if (key === null) return ascending ? [] : [sql`${operand} IS NOT NULL`];
  if (!ascending) return [sql`${operand} > ${key}`];
  return nullable
    ? [sql`${operand} IS NULL`, sql`${operand} < ${key}`]
    : [sql`${operand} < ${key}`];
}

function same({ expression }: OrderTerm, key: SqlValue): Fragment {
  const operand = expression;
  return key === null ? sql`${operand} IS NULL` : sql`${operand} = ${key}`;
}
