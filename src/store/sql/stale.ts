import type { DataTypeDefinition } from '../../capability/definition.js';
import type { StoredObject } from '../port.js';
import type { Dialect } from './dialect.js';
import { type Fragment, name, raw, sql } from './fragment.js';
import type { Row } from './objects.js';
import { type WriteColumn, writeColumns } from './rows.js';

/** Rows `[id, ...shadows]` of objects. */
export function shadowsQuery(
  type: DataTypeDefinition,
  accountId: string,
  ids: readonly string[],
  dialect: Dialect,
): Fragment {
  const list = shadowColumns(type).map(({ column }) => name(column).text);
  return sql`SELECT "id", ${raw(list.join(', '))} FROM ${name(type.table)}
 WHERE "accountId" = ${accountId} AND "id" IN (${dialect.elements(JSON.stringify(ids), 'string')})`;
}

/** Ids of objects whose shadow columns hold something else than a write would leave. */
export function staleIds(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  rows: readonly Row[],
): ReadonlySet<string> {
  const columns = shadowColumns(type);
  const held = new Map(rows.map(([id, ...values]) => [id, values]));
  const stale = objects.filter((object) => {
    const values = held.get(object.id);
    return columns.some(({ encode }, index) => encode(object) !== (values?.[index] ?? null));
  });
  return new Set(stale.map(({ id }) => id));
}

function shadowColumns(type: DataTypeDefinition): readonly WriteColumn[] {
  return writeColumns(type).slice(type.properties.length);
}
