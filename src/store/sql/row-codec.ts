import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
  ShadowColumn,
  TextTransform,
} from '../../capability/definition.js';
import { partColumnOf, partValue, partValueSteps } from '../../capability/part-columns.js';
import { presentTime } from '../../capability/present-time.js';
import { SHADOW_TRANSFORMS } from '../../capability/shadow-transforms.js';
import { absentOf, isTimed } from '../../capability/stored-nulls.js';
import { isStored } from '../../capability/stored-properties.js';
import { parseUtcDate } from '../../protocol/dates.js';
import { MethodError } from '../../protocol/errors.js';
import { parseJsonInSlices } from '../../protocol/ijson.js';
import type { JsonValue } from '../../protocol/json.js';
import { isHeavy, stringifyInSlices } from '../../protocol/stringify-slices.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import type { Steps } from '../../runtime/paused-work.js';
import { runInSlices, type Slices } from '../../runtime/slices.js';
import type { FoundObjects, StoredObject } from '../port.js';
import { quote } from './fragment.js';
import { addUnknown, encodeUnknown } from './unknown-column.js';

/**
 * Octets of objects that are read and decoded at once, in about 10 ms at the most. More are decoded
 * in slices, and never on a connection that others wait for meanwhile.
 */
const LARGE = 1_000_000;
/** Octets of objects that are kept for a call which has yet to ask for them. */
const MAX_FORESEEN = 4_000_000;

/** A row as the drivers give it: values in the order of the columns. */
export type Row = readonly unknown[];

/** The wire forms of values that are not null, by the kind of their property. */
export type Decoders = Readonly<Record<PropertyKind, (value: unknown) => JsonValue>>;

/** How objects with certain properties are read. */
export interface ObjectColumns {
  /** The id first. */
  readonly columns: readonly string[];
  /** The same as the list after SELECT. */
  readonly list: string;
  readonly decode: (row: Row) => StoredObject;
  /** The same with turns of the event loop between and within JSON texts. */
  readonly decodeInSlices: (row: Row, slices: Slices) => Promise<StoredObject>;
  /** About how many octets of JSON a row makes. */
  readonly octets: (row: Row) => number;
}

export function objectColumns(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
  decoders: Decoders,
): ObjectColumns {
  const others = properties.filter(({ role }) => role !== 'id' && role !== 'unknown');
  const markers = others.flatMap(({ nullColumn }) => nullColumn ?? []);
  const born = others.some(isTimed) ? type.properties.filter(({ role }) => role === 'created') : [];
  const bornAt = 1 + others.length + markers.length;
  const members = others.map((property): Member => {
    const isJson = property.kind === 'json';
    const { nullColumn } = property;
    return {
      name: property.name,
      decode: decoders[property.kind],
      absent: absentOf(property),
      time: timeOf(property, born.length === 0 ? null : bornAt),
      isJson,
      nullAt: nullColumn === undefined ? null : 1 + others.length + markers.indexOf(nullColumn),
    };
  });
  // Quotes, colons and commas around each name and value.
  const overhead = 10 + members.reduce((sum, { name }) => sum + name.length + 6, 0);
  const unknown = properties.flatMap(({ role, column }) => (role === 'unknown' ? [column] : []));
  const columns = ['id', ...columnsOf(others), ...markers, ...columnsOf(born), ...unknown];
  const unknownAt = unknown.length === 0 ? null : columns.length - 1;
  return {
    columns,
    list: columns.map(quote).join(', '),
    decode: (row) => {
      const object: { id: string; [name: string]: JsonValue } = { id: row[0] as string };
      let index = 0;
      for (const member of members) {
        index += 1;
        const value = row[index];
        if (value === null) putEmpty(object, member, row);
        else object[member.name] = member.decode(value);
      }
      if (isMarked(row, unknownAt))
        addUnknown(type, object, decoders.json(row[columns.length - 1]));
      return object;
    },
    decodeInSlices: async (row, slices) => {
      const object: { id: string; [name: string]: JsonValue } = { id: row[0] as string };
      let index = 0;
      for (const member of members) {
        index += 1;
        const value = row[index];
        const { name, decode, isJson } = member;
        if (value === null) putEmpty(object, member, row);
        else if (!isJson || typeof value !== 'string') object[name] = decode(value);
        else object[name] = await parseJsonInSlices(value, slices);
      }
      if (isMarked(row, unknownAt))
        addUnknown(type, object, decoders.json(row[columns.length - 1]));
      return object;
    },
    octets: (row) => overhead + octetsOf(row),
  };
}

/** How a property is read. */
interface Member {
  readonly name: string;
  readonly decode: (value: unknown) => JsonValue;
  readonly isJson: boolean;
  /** Null stands for this; undefined: for a property that is absent. */
  readonly absent: JsonValue | undefined;
  /** Null stands for the object's time; null where it doesn't. */
  readonly time: ((row: Row) => JsonValue) | null;
  /** The place of the column that tells null from absent. */
  readonly nullAt: number | null;
}

function putEmpty(
  object: { [name: string]: JsonValue },
  { name, absent, time, nullAt }: Member,
  row: Row,
): void {
  if (time !== null) object[name] = time(row);
  else if (absent !== undefined) object[name] = absent;
  else if (isMarked(row, nullAt)) object[name] = null;
}

function octetsOf(row: Row): number {
  let sum = 0;
  for (const value of row) sum += typeof value === 'string' ? value.length : 8;
  return sum;
}

/** Returns what null stands for if that is a time. `bornAt`: the place of the object's own. */
function timeOf(property: PropertyDefinition, bornAt: number | null): Member['time'] {
  if (!isTimed(property)) return null;
  return (row) => presentTime(property, bornAt === null ? 0 : Number(row[bornAt]));
}

function columnsOf(properties: readonly PropertyDefinition[]): readonly string[] {
  return properties.map(({ column }) => column);
}

/** Returns whether the row has a value in the column at the place. */
function isMarked(row: Row, at: number | null): boolean {
  return at !== null && row[at] !== null;
}

/** Objects that are read along with their ids; if they have too many octets, only the ids. */
export interface Gathered {
  readonly ids: string[];
  take(row: Row): void;
  found(): FoundObjects | null;
}

export function gatherer({ decode, octets }: ObjectColumns, maxOctets: number): Gathered {
  const ids: string[] = [];
  const most = Math.min(maxOctets, MAX_FORESEEN);
  let objects: StoredObject[] | null = [];
  let sum = 0;
  return {
    ids,
    take: (row) => {
      ids.push(row[0] as string);
      if (objects === null) return;
      const size = octets(row);
      sum += size;
      if (sum > most || size > LARGE) objects = null;
      else objects.push(decode(row));
    },
    found: () => objects && { objects, octets: sum },
  };
}

/** Takes the rows of a statement. */
export interface RowTaker {
  /** Octets of rows: those behind may be left out, since `take` throws by then. */
  readonly maxOctets: number;
  /** For pauses between rows; null where they are read at once. */
  slices(): Slices | null;
  take(row: Row): void;
}

/** Takes rows, and makes objects of them when all are there. */
export interface Collector extends RowTaker {
  /** They take longer to make than others may wait: `objects` makes them in slices. */
  isLarge(): boolean;
  /** Resolves to the objects in row order. Makes those that are not large before it returns. */
  objects(): Promise<readonly StoredObject[]>;
}

/**
 * The objects of a read are too large for a connection that others wait for: it begins anew on one
 * of its own.
 */
export class LargeReadError extends Error {
  override readonly name = 'LargeReadError';
}

/**
 * Throws `requestTooLarge` where rows are more than `maxOctets`, before that much memory is taken;
 * LargeReadError where they are large and there are no slices.
 */
export function collector(
  { decode, decodeInSlices, octets }: ObjectColumns,
  maxOctets: number,
  startSlices: () => Slices | null,
): Collector {
  const rows: Row[] = [];
  let sum = 0;
  let started: Slices | null | undefined;
  const slices = (): Slices | null => {
    if (started === undefined) started = startSlices();
    return started;
  };
  return {
    maxOctets,
    slices,
    take: (row) => {
      sum += octets(row);
      if (sum > maxOctets) throw tooLarge();
      if (sum > LARGE && slices() === null) requireSmall(sum);
      rows.push(row);
    },
    isLarge: () => sum > LARGE,
    objects: async () => {
      const pauses = sum > LARGE ? slices() : null;
      if (pauses === null) return rows.map(decode);
      return decodeEach(rows, (row) => decodeInSlices(row, pauses));
    },
  };
}

/** Returns the error of objects, or values of a user, that have too many octets. */
export function tooLarge(): MethodError {
  return new MethodError('requestTooLarge', 'The objects are larger than one call may handle.');
}

/** Returns whether so many octets take longer to decode than others may wait. */
export function isLarge(octets: number): boolean {
  return octets > LARGE;
}

/** Throws LargeReadError for large objects, since others would wait for their slices. */
export function requireSmall(octets: number): void {
  if (octets > LARGE) throw new LargeReadError('The objects are too large to be read at once.');
}

/** Each row goes when its object is made, so that not all are there twice. */
async function decodeEach(
  rows: Row[],
  decode: (row: Row) => Promise<StoredObject>,
): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  for (const [index, row] of rows.entries()) {
    rows[index] = [];
    objects.push(await decode(row));
  }
  return objects;
}

/** Whole objects of a type, to be written as rows. */
export interface RowsToWrite {
  readonly type: DataTypeDefinition;
  readonly objects: readonly StoredObject[];
  /** Null where no value is large, or the caller has no slices: the encoders make each value. */
  readonly large: LargeValues | null;
}

/** Values of columns that take long to make, by object and column. */
export type LargeValues = ReadonlyMap<StoredObject, ReadonlyMap<string, string>>;

/** A column as a batch writes it. */
export interface WriteColumn {
  readonly column: string;
  /** Takes the value from `large` where that has it. */
  readonly encode: (object: StoredObject, large: LargeValues | null) => JsonValue;
}

/** Characters of a text of which shadow columns are made in a moment. */
const SHORT = 16_384;

function isLong(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.length > SHORT;
}

/** How a shadow column is made of the value of a property. */
interface ShadowMaker {
  readonly column: string;
  /** The property. */
  readonly name: string;
  readonly make: (value: JsonValue | undefined) => JsonValue;
  /** Returns the steps that make the same of a large value; null where it takes a moment. */
  readonly inSteps: (value: JsonValue | undefined) => Steps<JsonValue> | null;
}

const shadowMakers = deriveOnce((type: DataTypeDefinition) => type.shadows.map(shadowMaker));

function shadowMaker(shadow: ShadowColumn): ShadowMaker {
  const { column, property, transform } = shadow;
  const part = partColumnOf(shadow);
  if (part !== null) {
    return {
      ...{ column, name: property.within?.property ?? property.name },
      make: (value = null) => (value === null ? null : partValue(part, value)),
      inSteps: (value = null) => (isHeavy(value) ? partValueSteps(part, value) : null),
    };
  }
  const { name } = property;
  if (transform === 'null')
    return { column, name, make: (value) => (value === null ? 1 : null), inSteps: () => null };
  // Only a part has a column of values as they are.
  const { make, steps } = SHADOW_TRANSFORMS[transform as TextTransform];
  return {
    ...{ column, name },
    make: (value) => (typeof value === 'string' ? make(value) : null),
    inSteps: (value) => (steps !== null && isLong(value) ? steps(value) : null),
  };
}

/**
 * Makes the column values of the objects' long texts and large JSON in steps: at once it would take
 * seconds. Resolves to null where there are none.
 */
export async function encodeLarge(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  slices: Slices,
): Promise<LargeValues | null> {
  let large: Map<StoredObject, Map<string, string>> | null = null;
  const keep = (object: StoredObject, column: string, text: string): void => {
    large ??= new Map();
    const columns = large.get(object) ?? new Map<string, string>();
    large.set(object, columns.set(column, text));
  };
  for (const { column, name, inSteps } of shadowMakers(type)) {
    for (const object of objects) {
      const steps = inSteps(object[name]);
      const made = steps === null ? null : await runInSlices(steps, slices);
      if (typeof made === 'string') keep(object, column, made);
    }
  }
  for (const { column, kind, name } of type.properties.filter(isStored)) {
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
  if (large !== null && slices.isOver()) await slices.next();
  return large;
}

/** Returns every column of a type's table but accountId: its properties', then its shadows'. */
export const writeColumns = deriveOnce((type: DataTypeDefinition): readonly WriteColumn[] => [
  ...type.properties.filter(isStored).map((property) => ({
    column: property.column,
    encode: encoder(type, property),
  })),
  ...shadowMakers(type).map(({ column, name, make }) => ({
    column,
    encode: (object: StoredObject, large: LargeValues | null) =>
      large?.get(object)?.get(column) ?? make(object[name]),
  })),
]);

/**
 * Returns a batch as one parameter: a JSON array with an array for each object, its values in the
 * order of `writeColumns`. JSON's numbers carry doubles exactly and have no -0.
 */
export function encodeRows({ type, objects, large }: RowsToWrite): string {
  const encoders = writeColumns(type);
  const rows: JsonValue[][] = [];
  for (const object of objects) {
    const row: JsonValue[] = [];
    for (const { encode } of encoders) row.push(encode(object, large));
    rows.push(row);
  }
  return JSON.stringify(rows);
}

type Encoder = WriteColumn['encode'];

function encoder(type: DataTypeDefinition, property: PropertyDefinition): Encoder {
  if (property.role === 'unknown') return (object) => encodeUnknown(type, object);
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
      (object, large) => {
        const value = object[name];
        if (value === undefined || value === null) return null;
        return large?.get(object)?.get(column) ?? JSON.stringify(value);
      },
  });
