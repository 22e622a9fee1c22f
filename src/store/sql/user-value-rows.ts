import type { DataTypeDefinition } from '../../capability/definition.js';
import { COUNTED, PRUNED, WHOLE } from '../../capability/scopes.js';
import { perUserOf, storedValues } from '../../capability/user-values.js';
import { parseJson, parseJsonInSlices } from '../../protocol/ijson.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { Slices } from '../../runtime/slices.js';
import type { NewChange, OwnChange, ValuesById } from '../port.js';
import type { RecordsToWrite } from './engine-port.js';
import { columnsText, OWN_KIND } from './records.js';
import { isLarge, type Row, requireSmall, tooLarge } from './row-codec.js';

/** Rows of values that each user has of its own, and their change records. */

/**
 * Reads rows `[objectId, values]`, whose values are by column; null where they are too large.
 * Throws LargeReadError where they are large and there are no slices.
 */
export async function userValuesOf(
  type: DataTypeDefinition,
  rows: readonly Row[],
  startSlices: () => Slices | null,
): Promise<ValuesById> {
  let octets = 0;
  for (const [, text] of rows) {
    if (typeof text !== 'string') throw tooLarge();
    octets += text.length;
  }
  const slices = isLarge(octets) ? startSlices() : null;
  if (slices === null) requireSmall(octets);
  const values = new Map<string, JsonObject>();
  for (const [id, text] of rows as readonly (readonly [string, string])[]) {
    const stored = slices === null ? parseJson(text) : await parseJsonInSlices(text, slices);
    values.set(id, valuesIn(type, stored));
  }
  return values;
}

function valuesIn(type: DataTypeDefinition, stored: JsonValue): JsonObject {
  const values = emptyObject();
  if (!isJsonObject(stored)) return values;
  for (const { name, column } of perUserOf(type)) {
    const value = stored[column] ?? null;
    if (value !== null) values[name] = value;
  }
  return values;
}

/** Returns the values of objects as JSON: rows `[objectId, values]`. */
export function userValueRows(type: DataTypeDefinition, values: ValuesById): string {
  return JSON.stringify(Array.from(values, ([id, own]) => [id, storedValues(type, own)]));
}

/** Returns changes with the scope of users who see all objects of their type. */
export function withWholeScope(changes: readonly NewChange[]): readonly NewChange[] {
  return changes.map((change): NewChange => {
    const { kind, scopes } = change;
    const isGone = kind === 'destroyed';
    const after = isGone ? [] : [...(scopes?.after ?? []), WHOLE];
    const known = scopes?.before ?? null;
    const before = isGone || known !== null ? [...(known ?? []), WHOLE] : null;
    return { ...change, scopes: { after, before } };
  });
}

/** Returns the row of JmapScope by which users who see all objects know of a change. */
export function wholeRow(state: number): string {
  return JSON.stringify([[COUNTED, WHOLE, state, 1]]);
}

/**
 * Returns the row by which they know of changes that another version has written. That version
 * notes no records that it removes: states of before lead nowhere once these are gone.
 */
export function foreignRow(state: number): string {
  return JSON.stringify([[PRUNED, WHOLE, state, 1]]);
}

/** Returns the same for a user whose own values changed: by the scopes of its views. */
export function ownRows(changes: readonly OwnChange[], state: number): string {
  const first = state - changes.length + 1;
  const last = new Map<string, number>();
  for (const [index, { scopes }] of changes.entries())
    for (const scope of scopes) last.set(scope, first + index);
  return JSON.stringify(Array.from(last, ([scope, number]) => [COUNTED, scope, number, 1]));
}

/** Returns the change records of a user's own values. */
export function ownRecords(
  changes: readonly OwnChange[],
): Pick<RecordsToWrite, 'rows' | 'count' | 'growth'> {
  const rows = changes.map(({ objectId, columns, scopes }) => {
    return [objectId, OWN_KIND, columnsText(columns), scopes, null];
  });
  return { rows: JSON.stringify(rows), count: rows.length, growth: 0 };
}
