import type { Aggregate, AggregateCondition } from '../../capability/aggregates.js';
import { sortKeyOf } from '../../capability/formats/index.js';
import type { Dialect } from './dialect-port.js';
import { quote } from './fragment.js';
import { literal, orNull } from './literals.js';

/** The SQL by which aggregates are made of rows. All values in it come from descriptors. */

/** SQL expressions for the account and, behind the column of an id, for the objects asked for. */
export interface AggregateScope {
  readonly dialect: Dialect;
  readonly accountId: string;
  /** `= "t"."id"`. */
  readonly isTarget: string;
}

/** The objects that an aggregate is made of, called "s", where they refer to one, "r". */
export interface AggregateSource {
  /** FROM and WHERE, without the words. */
  readonly from: string;
  readonly where: string;
  /** The object that has the aggregate. */
  readonly target: string;
  /** The object that is a part of it. */
  readonly id: string;
}

/**
 * Returns the rows that an aggregate is made of. SQLite finds the records first and then their
 * objects, the other way round where the objects lead: it keeps the order of a CROSS JOIN.
 */
export function aggregateSource(
  aggregate: Aggregate,
  { dialect, accountId, isTarget }: AggregateScope,
  objectsLead = false,
): AggregateSource {
  const { source, type, reference, of, where } = aggregate;
  const conditions = where.map((one) => conditionSql(one, dialect));
  const objects = `${quote(source.table)} AS "s"`;
  const ofAccount = `"s"."accountId" = ${accountId}`;
  if (reference === null) {
    const text = [ofAccount, ...conditions].join(' AND ');
    return { from: objects, where: text, target: literal('singleton'), id: '"s"."id"' };
  }
  const records = [
    `"r"."accountId" = ${accountId} AND "r"."toType" = ${literal(type.table)}`,
    `"r"."fromType" = ${literal(source.table)} AND "r"."property" = ${literal(reference.key)}`,
    `"r"."toId" ${isTarget}`,
  ];
  const isRead = objectsLead || of !== null || where.length > 0;
  const joined = isRead ? [ofAccount, '"s"."id" = "r"."fromId"', ...conditions] : [];
  const tables = ['"JmapReference" AS "r"', ...(isRead ? [objects] : [])];
  return {
    from: (objectsLead ? tables.reverse() : tables).join(' CROSS JOIN '),
    where: [...records, ...joined].join(' AND '),
    target: '"r"."toId"',
    id: '"r"."fromId"',
  };
}

/** Returns the aggregate as an expression of its rows; null where SQL can't add or compare them. */
export function aggregateValue({ kind, of }: Aggregate): string | null {
  if (of === null) return 'count(*)';
  const column = `"s".${quote(of.column)}`;
  if (kind === 'count') return `count(DISTINCT ${column})`;
  if (kind !== 'sum') return sortKeyOf(of) === undefined ? `${kind}(${column})` : null;
  return of.kind === 'integer' ? `coalesce(sum(${column}), 0)` : null;
}

/**
 * Returns the condition of a row "t" whose aggregate is wrong; null where SQL can't tell. A
 * singleton may have no row at all.
 */
export function miscountedSql(aggregate: Aggregate, dialect: Dialect): string | null {
  const value = aggregateValue(aggregate);
  if (value === null || aggregate.reference === null) return null;
  const scope = { dialect, accountId: '"t"."accountId"', isTarget: '= "t"."id"' };
  const source = aggregateSource(aggregate, scope);
  const column = `"t".${quote(aggregate.property.column)}`;
  return `${column} IS DISTINCT FROM (SELECT ${value} FROM ${source.from} WHERE ${source.where})`;
}

/** Returns the condition, which is true or false and never unknown. */
function conditionSql(condition: AggregateCondition, dialect: Dialect): string {
  const { read, path = [], values, isNot = false } = condition;
  const column = `"s".${quote(read.column)}`;
  const one =
    path.length === 0 ? columnSql(condition) : dialect.memberIsOneOf(column, path, values);
  return `(${one}) IS ${isNot ? 'NOT ' : ''}TRUE`;
}

function columnSql({ read, values }: AggregateCondition): string {
  const { kind, nullable, default: fallback = null } = read;
  const column = `"s".${quote(read.column)}`;
  // The previous version may still write null where readers see the default.
  const isFilled = !nullable && fallback !== null && kind !== 'json' && kind !== 'date';
  const value = isFilled ? `coalesce(${column}, ${literal(fallback)})` : column;
  return orNull(
    values,
    (given) => `${value} IN (${given.map(literal).join(', ')})`,
    () => `${value} IS NULL`,
  );
}
