import type { PropertyDefinition, UniqueDefinition } from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import type { SqlContext } from './dialect-port.js';
import { columnValue } from './filter.js';
import { type Fragment, name, type Raw, raw, sql } from './fragment.js';

type Key = readonly JsonValue[];

/**
 * Returns rows `[id, ...values]` of objects that hold one of `keys` in the constraint's properties.
 */
export function holdersQuery(
  context: SqlContext,
  unique: UniqueDefinition,
  keys: readonly Key[],
): Fragment {
  const { type, accountId } = context;
  const list = columnList(unique.properties);
  // Null is in no list: keys with it in the same places have a condition of their own.
  const groups = new Map<string, Key[]>();
  for (const key of keys) {
    const places = key.map((value) => (value === null ? '0' : '1')).join('');
    groups.set(places, [...(groups.get(places) ?? []), key]);
  }
  const held = [...groups.values()]
    .map((group) => heldBy(context, unique, group))
    .reduce((all, one) => sql`${all} OR ${one}`);
  return sql`SELECT "id", ${list} FROM ${name(type.table)} WHERE "accountId" = ${accountId}
 AND (${held})`;
}

/** Returns the condition of holding one of `keys`, all of which have null in the same places. */
function heldBy({ dialect }: SqlContext, unique: UniqueDefinition, keys: readonly Key[]): Fragment {
  const [first = []] = keys;
  const isGiven = (_: unknown, at: number): boolean => first[at] !== null;
  const given = unique.properties.filter(isGiven);
  const nulls = unique.properties
    .filter((_, at) => first[at] === null)
    .map(({ column }) => sql`${name(column)} IS NULL`);
  const rows = keys.map((key) =>
    key.filter(isGiven).map((value, at) => columnValue(given[at] as PropertyDefinition, value)),
  );
  const listed =
    given.length === 0
      ? []
      : [sql`(${columnList(given)}) IN (${dialect.tuples(JSON.stringify(rows), given)})`];
  return [...nulls, ...listed].reduce((all, one) => sql`${all} AND ${one}`);
}

function columnList(properties: readonly PropertyDefinition[]): Raw {
  return raw(properties.map(({ column }) => name(column).text).join(', '));
}
