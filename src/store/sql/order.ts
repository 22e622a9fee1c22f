import type { SortKey } from '../port.js';
import type { Dialect } from './dialect.js';
import { quote } from './fragment.js';

/** One expression of ORDER BY. */
export interface OrderTerm {
  readonly expression: string;
  readonly ascending: boolean;
  readonly nullable: boolean;
}

/**
 * The total order of a query (D15): its sort keys, then the id in the direction of the last one.
 * Ids embed the creation time, so an order by `created` is the order by id, and what follows it
 * decides nothing.
 */
export function orderTerms(sort: readonly SortKey[], dialect: Dialect): readonly OrderTerm[] {
  const terms: OrderTerm[] = [];
  for (const key of sort) {
    const { role, nullable } = key.sort.property;
    if (role === 'id' || role === 'created') return [...terms, idTerm(key.ascending, dialect)];
    // The same key again decides nothing; without it a client can't make the statement longer at
    // will.
    for (const expression of expressionsOf(key, dialect)) {
      if (terms.some((term) => term.expression === expression)) continue;
      terms.push({ expression, ascending: key.ascending, nullable });
    }
  }
  return [...terms, idTerm(sort.at(-1)?.ascending ?? true, dialect)];
}

function idTerm(ascending: boolean, dialect: Dialect): OrderTerm {
  return { expression: dialect.octet(quote('id')), ascending, nullable: false };
}

/** What decides the order, after what an index of it holds where that is not the same. */
function expressionsOf(key: SortKey, dialect: Dialect): readonly string[] {
  const { casemapColumn, indexed } = key.sort;
  const expression = expressionOf(key, dialect);
  const isKey = casemapColumn !== undefined && key.collation === 'i;unicode-casemap';
  const beginning =
    indexed === true && isKey ? dialect.indexedText?.(quote(casemapColumn)) : undefined;
  return beginning === undefined ? [expression] : [beginning, expression];
}

function expressionOf(key: SortKey, dialect: Dialect): string {
  const { property, casemapColumn } = key.sort;
  if (key.sort.column !== undefined) return quote(key.sort.column);
  const column = quote(property.column);
  if (property.kind !== 'string') return column;
  switch (key.collation) {
    case 'i;unicode-casemap':
      return casemapColumn === undefined
        ? dialect.octet(column)
        : dialect.octet(quote(casemapColumn));
    case 'i;ascii-casemap':
      return dialect.asciiCasemap(column);
    case 'i;ascii-numeric':
      return dialect.asciiNumeric(column);
    case 'i;octet':
      return dialect.octet(column);
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
 * The condition that a row comes before the target, whose keys `target(n)` names. Row values can't
 * say it: comparing them is unknown where one holds a null.
 */
export function comesBefore(
  terms: readonly OrderTerm[],
  target: (index: number) => string,
): string {
  return terms.reduceRight((rest, { expression, ascending, nullable }, index) => {
    const other = target(index);
    const beforeNull = ascending
      ? `(${expression} IS NULL AND ${other} IS NOT NULL)`
      : `(${expression} IS NOT NULL AND ${other} IS NULL)`;
    const less = `${expression} ${ascending ? '<' : '>'} ${other}`;
    const strictly = nullable ? `(${less} OR ${beforeNull})` : less;
    if (rest === '') return strictly;
    const same = nullable
      ? `(${expression} = ${other} OR (${expression} IS NULL AND ${other} IS NULL))`
      : `${expression} = ${other}`;
    return `(${strictly} OR (${same} AND ${rest}))`;
  }, '');
}
