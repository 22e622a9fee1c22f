import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { isFilled } from '../../capability/stored-nulls.js';
import { isStored as isStoredProperty } from '../../capability/stored-properties.js';
import { parseJson } from '../../protocol/ijson.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../port.js';
import type { SqlContext } from './dialect-port.js';
import { type Fragment, name, raw, sql } from './fragment.js';
import { type Row, type WriteColumn, writeColumns } from './row-codec.js';
import { hasDeclared, unknownColumn } from './unknown-column.js';

/**
 * Returns whether rows of the type may hold something else than a write of what is read would
 * leave.
 */
export function mayBeStale(type: DataTypeDefinition): boolean {
  const keepsUnknown = unknownColumn(type) !== null;
  return keepsUnknown || type.shadows.length > 0 || filledOf(type).length > 0;
}

/** Returns the properties whose columns must not hold null. */
function filledOf({ properties }: DataTypeDefinition): readonly PropertyDefinition[] {
  return properties.filter((property) => isStoredProperty(property) && isFilled(property));
}

/** Returns rows `[id, is something null that must not be, ...shadows, undeclared]` of objects. */
export function storedQuery(
  { type, accountId, dialect }: SqlContext,
  ids: readonly string[],
): Fragment {
  const empty = filledOf(type)
    .map(({ column }) => `${name(column).text} IS NULL`)
    .join(' OR ');
  const shadows = shadowColumns(type).map(({ column }) => name(column).text);
  const column = unknownColumn(type);
  const unknown = column === null ? [] : [name(column).text];
  const list = [empty === '' ? 'FALSE' : `(${empty})`, ...shadows, ...unknown];
  return sql`SELECT "id", ${raw(list.join(', '))} FROM ${name(type.table)}
 WHERE "accountId" = ${accountId} AND "id" IN (${dialect.elements(JSON.stringify(ids), 'string')})`;
}

/**
 * Returns ids of objects whose shadow columns are not as a write would leave them. So it does of
 * those that hold null where readers see a default, or hold undeclared what is declared now.
 */
export function staleIds(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  rows: readonly Row[],
): ReadonlySet<string> {
  const columns = shadowColumns(type);
  const keepsUnknown = unknownColumn(type) !== null;
  const rowsById = new Map(rows.map(([id, isEmpty, ...values]) => [id, { isEmpty, values }]));
  const stale = objects.filter((object) => {
    const row = rowsById.get(object.id);
    // SQLite's Booleans are numbers.
    if (row?.isEmpty === true || row?.isEmpty === 1) return true;
    const unknown = keepsUnknown ? row?.values.at(-1) : null;
    if (typeof unknown === 'string' && hasDeclared(type, parseJson(unknown))) return true;
    return columns.some(
      ({ encode }, index) => !isStored(encode(object, null), row?.values[index] ?? null),
    );
  });
  return new Set(stale.map(({ id }) => id));
}

/** Returns whether a database gives that for a value. SQLite's Booleans are numbers. */
function isStored(value: JsonValue, read: unknown): boolean {
  return value === read || (typeof value === 'boolean' && Number(value) === read);
}

function shadowColumns(type: DataTypeDefinition): readonly WriteColumn[] {
  return writeColumns(type).slice(type.properties.filter(isStoredProperty).length);
}
