import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
  ShadowTransform,
} from '../../capability/definition.js';
import { parseDate, parseUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import { isHeavy, stringifyInSlices } from '../../protocol/stringify-slices.js';
import { runInSlices, type Slices, type Steps } from '../../runtime/slices.js';
import { casemapKey, casemapSteps, fold, foldSteps } from '../../text/index.js';
import type { StoredObject } from '../port.js';

/** A column as a batch writes it. */
export interface WriteColumn {
  readonly column: string;
  readonly encode: (object: StoredObject) => JsonValue;
}

/** What a shadow column holds of a text. */
const TRANSFORMS: Readonly<Record<ShadowTransform, (text: string) => string | number | null>> =
  Object.freeze({ fold, casemap: casemapKey, instant: parseDate });

/** The same of a long text, in steps. */
const STEPS: Readonly<Record<ShadowTransform, ((text: string) => Steps<string>) | null>> =
  Object.freeze({ fold: foldSteps, casemap: casemapSteps, instant: null });

/** Characters of a text of which shadow columns are made in a moment. */
const SHORT = 16_384;

/** The values that columns store for long texts and large JSON, by column. */
const derived = new WeakMap<StoredObject, Map<string, string>>();

/** Whether to make the objects' column values takes more than a moment. */
export function holdsLarge(type: DataTypeDefinition, objects: readonly StoredObject[]): boolean {
  for (const object of objects) {
    for (const { property } of type.shadows) if (isLong(object[property.name])) return true;
    for (const { kind, name } of type.properties)
      if (kind === 'json' && isHeavy(object[name])) return true;
  }
  return false;
}

function isLong(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.length > SHORT;
}

/**
 * Makes the column values of the objects' long texts and large JSON in steps: at once it would take
 * seconds.
 */
export async function encodeLarge(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  slices: Slices,
): Promise<void> {
  for (const { column, property, transform } of type.shadows) {
    const steps = STEPS[transform];
    if (steps === null) continue;
    for (const object of objects) {
      const value = object[property.name];
      if (!isLong(value)) continue;
      keep(object, column, await runInSlices(steps(value), slices));
    }
  }
  for (const { column, kind, name } of type.properties) {
    if (kind !== 'json') continue;
    for (const object of objects) {
      const value = object[name];
      if (!isHeavy(value)) continue;
      const written = await stringifyInSlices(value, slices, Number.POSITIVE_INFINITY);
      if (written === null) throw new Error('A text without a maximum is never too long.');
      keep(object, column, written.pieces.join(''));
    }
  }
  // To write the rows is one step.
  if (slices.isOver()) await slices.next();
}

function keep(object: StoredObject, column: string, text: string): void {
  const columns = derived.get(object) ?? new Map<string, string>();
  derived.set(object, columns.set(column, text));
}

const columns = new WeakMap<DataTypeDefinition, readonly WriteColumn[]>();

/** Every column of a type's table but accountId: its properties', then its shadows'. */
export function writeColumns(type: DataTypeDefinition): readonly WriteColumn[] {
  const cached = columns.get(type);
  if (cached !== undefined) return cached;
  const composed = [
    ...type.properties.map((property) => ({ column: property.column, encode: encoder(property) })),
    ...type.shadows.map(({ column, property, transform }) => {
      const key = TRANSFORMS[transform];
      const encode = (object: StoredObject): JsonValue => {
        const value = object[property.name];
        if (typeof value !== 'string') return null;
        return (isLong(value) ? derived.get(object)?.get(column) : undefined) ?? key(value);
      };
      return { column, encode };
    }),
  ];
  columns.set(type, composed);
  return composed;
}

/**
 * A batch as one parameter: a JSON array with an array for each object, its values in the order of
 * `writeColumns`. JSON's numbers carry doubles exactly and have no -0 (D4).
 */
export function encodeRows(type: DataTypeDefinition, objects: readonly StoredObject[]): string {
  const encoders = writeColumns(type);
  const rows: JsonValue[][] = [];
  for (const object of objects) {
    const row: JsonValue[] = [];
    for (const { encode } of encoders) row.push(encode(object));
    rows.push(row);
  }
  return JSON.stringify(rows);
}

type Encoder = WriteColumn['encode'];

function encoder(property: PropertyDefinition): Encoder {
  return ENCODERS[property.kind](property);
}

const asItIs = ({ name }: PropertyDefinition): Encoder => {
  return (object) => object[name] ?? null;
};

/** How a property's value is written, by its kind. */
const ENCODERS: Readonly<Record<PropertyKind, (property: PropertyDefinition) => Encoder>> =
  Object.freeze({
    string: asItIs,
    boolean: asItIs,
    integer: asItIs,
    number: asItIs,
    date:
      ({ name }) =>
      (object) => {
        const value = object[name];
        return typeof value === 'string' ? parseUtcDate(value) : null;
      },
    json:
      ({ name, column }) =>
      (object) => {
        const value = object[name];
        if (value === undefined || value === null) return null;
        return derived.get(object)?.get(column) ?? JSON.stringify(value);
      },
  });
