import type { UniqueDefinition } from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import type { SqlContext } from './dialect-port.js';
import { columnValue } from './filter.js';
import { type Fragment, name, raw, sql } from './fragment.js';

/**
 * Returns rows `[id, ...values]` of objects that hold one of `keys` in the constraint's properties.
 */
export function holdersQuery(
  { type, accountId, dialect }: SqlContext,
  unique: UniqueDefinition,
  keys: readonly (readonly JsonValue[])[],
): Fragment {
  const columns = unique.properties.map(({ column }) => name(column));
  const list = raw(columns.map(({ text }) => text).join(', '));
  const rows = keys.map((key) =>
    unique.properties.map((property, index) => columnValue(property, key[index] ?? null)),
  );
  return sql`SELECT "id", ${list} FROM ${name(type.table)} WHERE "accountId" = ${accountId}
 AND (${list}) IN (${dialect.tuples(JSON.stringify(rows), unique.properties)})`;
}
