import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { Json, JsonMap } from '../support/json.js';
import { isMap } from './schema.js';

/** An object as /get shows it. `updated` is missing until the server has told it. */
export type Stored = Readonly<JsonMap>;

export type Kind = 'created' | 'updated' | 'destroyed';

/** The change of one object by one call: a number of its own. */
export interface Change {
  readonly id: string;
  readonly kind: Kind;
  /** Of an update: the properties that changed, but for `updated`. */
  readonly properties?: readonly string[];
}

/**
 * The changes of one call to the objects of a type: numbers `from + 1` to `to`, in an order that
 * nobody knows.
 */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly Change[];
}

/** All objects of a type in an account, its state and its change records. */
export interface Shelf {
  state: number;
  objects: ReadonlyMap<string, Stored>;
  readonly steps: Step[];
  /** Where the records begin: older states are none of the model's. */
  readonly start: number;
}

export type Types = ReadonlyMap<string, ModelType>;

export function typeOf(types: Types, name: string): ModelType {
  const type = types.get(name);
  if (type === undefined) throw new Error(`The model has no type ${name}.`);
  return type;
}

/** Properties on the wire. */
export const shown = ({ properties }: ModelType): readonly ModelProperty[] =>
  properties.filter(({ access }) => access !== 'internal' && access !== 'secret');

export function property({ properties }: ModelType, name: string): ModelProperty | undefined {
  return properties.find((one) => one.name === name && one.access !== 'internal');
}

/** The name that a type gives the property with a role. */
export function named(type: ModelType, role: 'id' | 'created' | 'updated'): string {
  const found = type.properties.find((one) => one.role === role);
  if (found === undefined) throw new Error(`${type.name} has no ${role}.`);
  return found.name;
}

/** The ids in the value of a reference. */
export function idsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((one) => typeof one === 'string');
  return isMap(value) ? Object.keys(value) : [];
}

/** Equal JSON, whatever the order of members. */
export function equal(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, n) => equal(item, other[n]));
  if (isMap(one) && isMap(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]))
    );
  }
  return one === other;
}

/** Returns the values of an object of a type where nothing was given. */
export function defaults(type: ModelType): JsonMap {
  return Object.fromEntries(
    shown(type).flatMap((one) =>
      one.role === undefined ? [[one.name, (one.default as Json | undefined) ?? null]] : [],
    ),
  );
}

/** Equal in all that clients write or that follows from it. */
export function same(type: ModelType, one: Stored | undefined, other: Stored): boolean {
  return different(type, one ?? {}, other).length === 0;
}

/** The properties that differ in what clients write or what follows from it. */
export function different(type: ModelType, one: Stored, other: Stored): readonly string[] {
  return shown(type).flatMap(({ name, role }) =>
    role !== undefined || equal(one[name], other[name]) ? [] : [name],
  );
}
