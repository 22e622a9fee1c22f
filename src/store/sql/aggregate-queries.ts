import { type Aggregate, betterOf } from '../../capability/aggregates.js';
import type { PropertyDefinition } from '../../capability/definition.js';
import { addExact, type Exact, exactOf, exactValue, ZERO } from '../../capability/exact-sum.js';
import type { JsonValue } from '../../protocol/json.js';
import { type AggregateSource, aggregateSource, aggregateValue } from './aggregate-sql.js';
import type { SqlContext } from './dialect-port.js';
import { columnValue } from './filter.js';
import { type Fragment, name, raw, sql } from './fragment.js';
import type { Decoders, Row } from './row-codec.js';

/** The statements by which aggregates are read. */

type Context = Omit<SqlContext, 'type'>;

/** A value that objects may have, for the object with this id. */
export interface HeldValue {
  readonly id: string;
  readonly value: JsonValue;
}

/** Stands for parameters in composed text, which has no such character. */
const MARK = '\u0001';

/**
 * Returns rows `[id, value]` of objects that have the aggregate; rows `[id, value, number]` where
 * the values of its parts have to be added up.
 */
export function aggregateQuery(
  aggregate: Aggregate,
  context: Context,
  ids: readonly string[],
  except: readonly string[],
): Fragment {
  const { dialect, accountId } = context;
  const source = sourceOf(aggregate, context);
  const value = aggregateValue(aggregate);
  const column = aggregate.of === null ? '' : name(aggregate.of.column).text;
  const list = value === null ? `"s".${column}, count(*)` : textOf(aggregate, value);
  const group = aggregate.reference === null ? [] : [source.target];
  const keys = [...group, ...(value === null ? [`"s".${column}`] : [])];
  const grouped = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
  const where = filled(source.where, [accountId, dialect.elements(JSON.stringify(ids), 'string')]);
  return sql`SELECT ${raw(source.target)}, ${raw(list)} FROM ${raw(source.from)}
 WHERE ${where}${without(context, source, except)}${raw(grouped)}`;
}

/** PostgreSQL's sum of integers is a numeric; a driver may round it. */
function textOf({ kind }: Aggregate, value: string): string {
  return kind === 'sum' ? `CAST(${value} AS TEXT)` : value;
}

function without(
  { dialect }: Context,
  { id }: AggregateSource,
  except: readonly string[],
): Fragment {
  if (except.length === 0) return sql``;
  return sql` AND ${raw(id)} NOT IN (${dialect.elements(JSON.stringify(except), 'string')})`;
}

/** Returns the values in the rows of `aggregateQuery`, by id. */
export function aggregateValues(
  aggregate: Aggregate,
  rows: readonly Row[],
  decoders: Decoders,
): ReadonlyMap<string, JsonValue> {
  const { kind, of, property } = aggregate;
  const values = new Map<string, JsonValue>();
  const sums = new Map<string, Exact>();
  for (const [id, value, times = 1] of rows as readonly [string, unknown, unknown][]) {
    if (value === null) continue;
    if (kind === 'count') values.set(id, Number(value));
    else if (kind === 'sum') {
      const part =
        of?.kind === 'integer' ? exactInteger(value as string) : exactOf(value as string);
      sums.set(id, addExact(sums.get(id) ?? ZERO, part, Number(times)));
    } else if (of !== null) {
      const part = decoders[of.kind](value);
      values.set(id, betterOf(aggregate, values.get(id) ?? null, part));
    }
  }
  for (const [id, sum] of sums)
    values.set(id, exactValue(sum, property.kind) ?? largest(sum, property));
  return values;
}

function exactInteger(text: string): Exact {
  return { digits: BigInt(text), scale: 0 };
}

/** Returns what stands for a sum of existing objects that is too large: no call made it so. */
function largest({ digits }: Exact, { kind }: PropertyDefinition): JsonValue {
  const sign = digits < 0n ? -1 : 1;
  return kind === 'integer' ? sign * Number.MAX_SAFE_INTEGER : String(sign);
}

/** Returns rows `[index]` of the values that an object has there which is not in `except`. */
export function heldQuery(
  aggregate: Aggregate,
  context: Context,
  values: readonly HeldValue[],
  except: readonly string[],
): Fragment {
  const { dialect, accountId } = context;
  const { of, property, type } = aggregate;
  const read = of ?? property;
  const id = type.properties.find(({ role }) => role === 'id') ?? property;
  const places = { ...id, kind: 'integer' } as const;
  const tuples = values.map((one, at) => [at, one.id, columnValue(read, one.value)]);
  const source = sourceOf(aggregate, context, true);
  const where = filled(source.where, [accountId, sql`"p"."id"`]);
  const column = name(read.column);
  return sql`WITH "p"("at", "id", "value") AS (
 ${dialect.tuples(JSON.stringify(tuples), [places, id, read])})
 SELECT "p"."at" FROM "p" WHERE EXISTS (SELECT 1 FROM ${raw(source.from)}
 WHERE "s".${column} = "p"."value" AND ${where}${without(context, source, except)})`;
}

function sourceOf(
  aggregate: Aggregate,
  { dialect }: Context,
  objectsLead = false,
): AggregateSource {
  return aggregateSource(
    aggregate,
    { dialect, accountId: `${MARK}a`, isTarget: `IN (${MARK}t)` },
    objectsLead,
  );
}

/** Puts parameters in the places of the marks: the account, and the objects asked for. */
function filled(text: string, [account, targets]: readonly [string | number | null, Fragment]) {
  return text
    .split(new RegExp(`(${MARK}[at])`))
    .map((part) => {
      if (part === `${MARK}a`) return sql`${account}`;
      return part === `${MARK}t` ? targets : sql`${raw(part)}`;
    })
    .reduce((all, part) => sql`${all}${part}`);
}
