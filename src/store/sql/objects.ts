import type { PropertyDefinition, PropertyKind } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import type { FoundObjects, StoredObject } from '../port.js';
import { quote } from './fragment.js';

/** A row as the drivers give it: values in the order of the columns. */
export type Row = readonly unknown[];

/** What a value that is not null is on the wire, by the kind of its property. */
export type Decoders = Readonly<Record<PropertyKind, (value: unknown) => JsonValue>>;

/** How objects with certain properties are read. */
export interface ObjectColumns {
  /** The id first. */
  readonly columns: readonly string[];
  /** The same as the list after SELECT. */
  readonly list: string;
  readonly decode: (row: Row) => StoredObject;
  /** About how many octets of JSON a row makes. */
  readonly octets: (row: Row) => number;
}

export function objectColumns(
  properties: readonly PropertyDefinition[],
  decoders: Decoders,
): ObjectColumns {
  const rest = properties.filter((property) => property.role !== 'id');
  const members = rest.map((property) => {
    return { name: property.name, decode: decoders[property.kind], absent: absentOf(property) };
  });
  // Quotes, colons and commas around each name and value.
  const overhead = 10 + members.reduce((sum, { name }) => sum + name.length + 6, 0);
  const columns = ['id', ...rest.map((property) => property.column)];
  return {
    columns,
    list: columns.map(quote).join(', '),
    decode: (row) => {
      const object: { id: string; [name: string]: JsonValue } = { id: row[0] as string };
      let index = 0;
      for (const { name, decode, absent } of members) {
        index += 1;
        const value = row[index];
        object[name] = value === null ? absent : decode(value);
      }
      return object;
    },
    octets: (row) => {
      let sum = overhead;
      for (const value of row) sum += typeof value === 'string' ? value.length : 8;
      return sum;
    },
  };
}

/**
 * What null in the column stands for. A property that is nullable no longer keeps a nullable column for
 * one release, and the version before may write null there: everybody sees the default.
 */
function absentOf(property: PropertyDefinition): JsonValue {
  return isFilled(property) ? (property.default ?? null) : null;
}

/** Whether what is read is never null, even where its column is. */
export function isFilled({ nullable, default: value }: PropertyDefinition): boolean {
  return !nullable && value !== undefined && value !== null;
}

/** Objects that are read along with their ids: of too many octets there are none, but all the ids. */
export interface Gathered {
  readonly ids: string[];
  take(row: Row): void;
  found(): FoundObjects | null;
}

export function gatherer({ decode, octets }: ObjectColumns, maxOctets: number): Gathered {
  const ids: string[] = [];
  let objects: StoredObject[] | null = [];
  let sum = 0;
  return {
    ids,
    take: (row) => {
      ids.push(row[0] as string);
      if (objects === null) return;
      sum += octets(row);
      if (sum > maxOctets) objects = null;
      else objects.push(decode(row));
    },
    found: () => objects && { objects, octets: sum },
  };
}

/**
 * Takes rows as they are read; throws `requestTooLarge` when they are more than `maxOctets`, before
 * that much memory is taken.
 */
export function collector(
  { decode, octets }: ObjectColumns,
  maxOctets: number,
): { readonly objects: readonly StoredObject[]; readonly take: (row: Row) => void } {
  const objects: StoredObject[] = [];
  let sum = 0;
  const take = (row: Row): void => {
    sum += octets(row);
    if (sum > maxOctets) {
      throw new MethodError('requestTooLarge', 'The objects are larger than one call may handle.');
    }
    objects.push(decode(row));
  };
  return { objects, take };
}
