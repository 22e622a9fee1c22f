import type { SortKey } from '../port.js';
import type { Dialect } from './dialect.js';
import { type Fragment, quote, raw, type SqlValue, sql } from './fragment.js';

/** One expression of ORDER BY. */
export interface OrderTerm {
  readonly expression: string;
  readonly ascending: boolean;
  readonly nullable: boolean;
  /** An ordered index of the account begins with it. */
  readonly indexed: boolean;
}

/**
 * The total order of a query (D15): its sort keys, then the id in the direction of the last one.
 * Ids embed the creation time: an order by `created` that nothing follows is the one of the primary key.
 * What follows decides between objects of one millisecond (RFC 8620 5.5), and all must be sorted for it.
 */
export function orderTerms(sort: readonly SortKey[], dialect: Dialect): readonly OrderTerm[] {
  const terms: OrderTerm[] = [];
  for (const [index, key] of sort.entries()) {
    const { nullable } = key.sort.property;
    if (isOrderOfIds(sort.slice(index))) return [...terms, idTerm(key.ascending)];
    // The same key again decides nothing; without it a client can't make the statement longer at
    // will.
    for (const expression of expressionsOf(key, dialect)) {
      if (terms.some((term) => term.expression === expression)) continue;
      const indexed = isIndexed(key, expression, dialect);
      terms.push({ expression, ascending: key.ascending, nullable, indexed });
    }
  }
  return [...terms, idTerm(sort.at(-1)?.ascending ?? true)];
}

/** Whether these sort keys come to the order of ids, in the direction of the first. */
export function isOrderOfIds([first, next]: readonly SortKey[]): boolean {
  const role = first?.sort.property.role;
  if (role !== 'created') return role === 'id';
  const isById = next?.sort.property.role === 'id' && next.ascending === first?.ascending;
  return next === undefined || isById;
}

function idTerm(ascending: boolean): OrderTerm {
  return { expression: quote('id'), ascending, nullable: false, indexed: true };
}

function isIndexed(key: SortKey, expression: string, dialect: Dialect): boolean {
  const { indexed, column, casemapColumn, property } = key.sort;
  const of = quote(column ?? casemapColumn ?? property.column);
  const held = casemapColumn === undefined ? of : dialect.indexedText(of);
  return indexed === true && expression === held;
}

/** What decides the order, after what an index of it holds where that is not the same. */
function expressionsOf(key: SortKey, dialect: Dialect): readonly string[] {
  const { casemapColumn, indexed } = key.sort;
  const expression = expressionOf(key, dialect);
  const isKey = casemapColumn !== undefined && key.collation === 'i;unicode-casemap';
  return indexed === true && isKey
    ? [dialect.indexedText(quote(casemapColumn)), expression]
    : [expression];
}

/** Both databases compare texts by their UTF-8 octets, and upper() knows ASCII alone. */
function expressionOf(key: SortKey, dialect: Dialect): string {
  const { property, casemapColumn } = key.sort;
  if (key.sort.column !== undefined) return quote(key.sort.column);
  const column = quote(property.column);
  if (property.kind !== 'string') return column;
  switch (key.collation) {
    case 'i;unicode-casemap':
      return quote(casemapColumn ?? property.column);
    case 'i;ascii-casemap':
      return `upper(${column})`;
    case 'i;ascii-numeric':
      return dialect.asciiNumeric(column);
    case 'i;octet':
      return column;
  }
}

/**
 * The list after ORDER BY: nulls first ascending, last descending, said in words since databases
 * differ. Also of what has no nulls: an index of another order of nulls is none to PostgreSQL, and
 * those that the generator makes have this one. The id at the end is as the primary key has it.
 */
export function orderBy(terms: readonly OrderTerm[]): string {
  return terms
    .map(({ expression, ascending }, index) => {
      const nulls = ascending ? ' NULLS FIRST' : ' NULLS LAST';
      const isId = index === terms.length - 1;
      return `${expression} ${ascending ? 'ASC' : 'DESC'}${isId ? '' : nulls}`;
    })
    .join(', ');
}

/**
 * The condition that a row comes before one with these keys. Row values can't say it: comparing them
 * is unknown where one holds a null.
 */
export function comesBefore(terms: readonly OrderTerm[], keys: readonly SqlValue[]): Fragment {
  return terms.reduceRight((rest, term, index) => {
    const key = keys[index] ?? null;
    const strictly = before(term, key);
    const tie = sql`${same(term, key)} AND ${rest}`;
    return [...strictly, tie].reduce((all, next) => sql`(${all} OR ${next})`);
  }, sql`FALSE`);
}

/** The same as ranges of an index over the terms, one after the other, which have no row in common. */
export function rangesBefore(
  terms: readonly OrderTerm[],
  keys: readonly SqlValue[],
): readonly Fragment[] {
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
  const of = raw(expression);
  if (key === null) return ascending ? [] : [sql`${of} IS NOT NULL`];
  if (!ascending) return [sql`${of} > ${key}`];
  return nullable ? [sql`${of} IS NULL`, sql`${of} < ${key}`] : [sql`${of} < ${key}`];
}

function same({ expression }: OrderTerm, key: SqlValue): Fragment {
  const of = raw(expression);
  return key === null ? sql`${of} IS NULL` : sql`${of} = ${key}`;
}
