import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { EVOLVED } from '../capability/evolution.js';
import type { Changes } from '../capability/hooks.js';
import { presentTime } from '../capability/present-time.js';
import { absentOf, isTimed } from '../capability/stored-nulls.js';
import { isStored } from '../capability/stored-properties.js';
import { UNKNOWN_COLUMN } from '../capability/unknown-properties.js';
import { defaultOf } from '../methods/type-index.js';
import { parseUtcDate } from '../protocol/dates.js';
import { parseJsonInSlices } from '../protocol/ijson.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { stringifyInSlices } from '../protocol/stringify-slices.js';
import { deriveOnce } from '../runtime/derive-once.js';
import type { Slices } from '../runtime/slices.js';
import type { StoredObject } from '../store/port.js';
import { frozenInSlices } from './walks.js';

/**
 * The payloads of tasks of a durable `afterCommit`. A later version may run the hook, so they name
 * properties by their columns, as the tables do: both outlive renames.
 */

/** The call and the changes, as the hook gets them. */
export interface Kept {
  readonly call: KeptCall;
  readonly changes: Changes<StoredObject>;
}

export interface KeptCall {
  readonly userId: string;
  readonly method: string;
  readonly arguments: JsonObject;
  readonly createdIds: readonly (readonly [string, string])[];
  readonly refused: readonly string[];
}

/** Returns the kind of the tasks of a type. */
export function effectKind({ table }: Pick<DataTypeDefinition, 'table'>): string {
  return `afterCommit:${table}`;
}

/** Objects of a task at most: an effect is done again as a whole. */
const MOST = 1000;

/** Yields the changes in parts, each for a task of its own. */
export function* divideChanges(changes: Changes<StoredObject>): Generator<Changes<StoredObject>> {
  const { created, updated, destroyed } = changes;
  const count = created.length + updated.length + destroyed.length;
  for (let begin = 0; begin < count; begin += MOST) {
    let at = begin;
    const cut = <T>(objects: readonly T[]): readonly T[] => {
      const part = objects.slice(Math.max(0, at), Math.max(0, at + MOST));
      at -= objects.length;
      return part;
    };
    yield { created: cut(created), updated: cut(updated), destroyed: cut(destroyed) };
  }
}

/** Returns the payload of a task: JSON. */
export async function writeKept(
  type: DataTypeDefinition,
  { call, changes }: Kept,
  slices: Slices,
): Promise<string> {
  const evolved = type.properties.find(({ name }) => name === EVOLVED)?.default ?? 0;
  const columns = mapChanges(changes, (object) => byColumn(type, object));
  const kept = { call, evolved, changes: columns };
  const written = await stringifyInSlices(kept, slices, Number.POSITIVE_INFINITY);
  return written?.pieces.join('') ?? '';
}

/**
 * Reads a payload, with the names that properties have now. `convert` gets the values of an object,
 * by column, and the last migration that their version converts objects for.
 */
export async function readKept(
  type: DataTypeDefinition,
  payload: string,
  slices: Slices,
  convert: (values: JsonObject, reached: number) => Promise<JsonObject>,
): Promise<Kept> {
  // Only `writeKept` makes payloads.
  const kept = (await parseJsonInSlices(payload, slices)) as unknown as {
    readonly call: KeptCall;
    readonly evolved: number;
    readonly changes: Changes<JsonObject>;
  };
  const { created, updated, destroyed } = kept.changes;
  const converted = new Map<JsonObject, JsonObject>();
  const all = [...created, ...updated.flatMap(({ before, after }) => [before, after])];
  for (const values of [...all, ...destroyed]) {
    if (slices.isOver()) await slices.next();
    converted.set(values, await convert(values, kept.evolved));
  }
  const changes = mapChanges(kept.changes, (values) =>
    readColumns(type, converted.get(values) ?? values),
  );
  return frozenInSlices({ call: kept.call, changes }, slices);
}

function mapChanges<From, To>(
  { created, updated, destroyed }: Changes<From>,
  map: (object: From) => To,
): Changes<To> {
  return {
    created: created.map(map),
    updated: updated.map(({ before, after }) => ({ before: map(before), after: map(after) })),
    destroyed: destroyed.map(map),
  };
}

const columnsOf = deriveOnce(
  ({ properties }: DataTypeDefinition): ReadonlyMap<string, string> =>
    new Map(properties.map(({ name, column }) => [name, column])),
);

/** Returns the values of an object by column; its undeclared properties share one. */
function byColumn(type: DataTypeDefinition, object: StoredObject): JsonObject {
  const columns = columnsOf(type);
  const values: Record<string, JsonValue> = emptyObject();
  const undeclared: Record<string, JsonValue> = emptyObject();
  for (const [name, value] of Object.entries(object)) {
    const column = columns.get(name);
    if (column === undefined) undeclared[name] = value;
    else values[column] = value;
  }
  return { ...values, [UNKNOWN_COLUMN]: undeclared };
}

/**
 * Returns the object of these values. Dropped properties, and undeclared ones whose names are
 * declared now, are left out.
 */
export function readColumns(type: DataTypeDefinition, values: JsonObject): StoredObject {
  const columns = columnsOf(type);
  const object: Record<string, JsonValue> = emptyObject();
  const born = type.properties.find(({ role }) => role === 'created');
  const bornAt = parseUtcDate(String(values[born?.column ?? ''])) ?? 0;
  for (const property of type.properties) {
    if (property.role === 'unknown' || !isStored(property)) continue;
    const value = readValue(property, values[property.column], bornAt);
    if (value !== undefined) object[property.name] = value;
  }
  const undeclared = values[UNKNOWN_COLUMN] ?? null;
  for (const [name, value] of Object.entries(isJsonObject(undeclared) ? undeclared : {}))
    if (!columns.has(name)) object[name] = value;
  return object as StoredObject;
}

/**
 * Returns a property's value as readers of a row would see it. One that the type has since the task
 * was kept has its default. `bornAt`: when the object was created, in ms.
 */
function readValue(
  property: PropertyDefinition,
  kept: JsonValue | undefined,
  bornAt: number,
): JsonValue | undefined {
  if (kept !== undefined && kept !== null) return kept;
  if (isTimed(property)) return presentTime(property, bornAt);
  const { optional, nullable } = property;
  if (kept === undefined) return optional === true ? undefined : defaultOf(property);
  return optional === true && nullable ? null : absentOf(property);
}
