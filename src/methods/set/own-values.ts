import type { DataTypeDefinition } from '../../capability/definition.js';
import { perUserOf, type Viewer, withUserValues } from '../../capability/user-values.js';
import { jsonEqual } from '../../protocol/equal.js';
import { emptyObject, type JsonObject, type JsonValue } from '../../protocol/json.js';
import type { StoredObject, ValuesById } from '../../store/port.js';

/**
 * The values that a call's user has of its own. A patch names them like other properties, but the
 * objects that are judged and written are without them.
 */

export const NO_VALUES: JsonObject = Object.freeze(emptyObject());

/** An object, or what was given of one, and the user's own values apart. */
export interface Parted<T extends JsonObject> {
  readonly object: T;
  readonly own: JsonObject;
}

/** Parts values of a type; the object itself where none of them is a user's own. */
export function partOwn<T extends JsonObject>(type: DataTypeDefinition, values: T): Parted<T> {
  const names = perUserOf(type).filter(({ name }) => Object.hasOwn(values, name));
  if (names.length === 0) return { object: values, own: NO_VALUES };
  const object: Record<string, JsonValue> = Object.assign(emptyObject(), values);
  const own = emptyObject();
  for (const { name } of names) {
    own[name] = values[name] ?? null;
    delete object[name];
  }
  return { object: object as T, own };
}

/** The values of a call's user at the objects of a type. */
export class OwnValues {
  readonly viewer: Viewer;
  readonly #type: DataTypeDefinition;
  readonly #names: ReadonlySet<string>;
  /** As they were; those that the user has given. */
  readonly #before: Map<string, JsonObject>;
  /** As the call leaves them, where it may have changed them. */
  readonly #after = new Map<string, JsonObject>();

  constructor(type: DataTypeDefinition, viewer: Viewer, before: ValuesById) {
    this.viewer = viewer;
    this.#type = type;
    this.#names = new Set(perUserOf(type).map(({ name }) => name));
    this.#before = new Map(before);
  }

  /** Takes values of further objects, which the call has not changed. */
  add(values: ValuesById): void {
    for (const [id, own] of values) this.#before.set(id, own);
  }

  /** Returns the values of an object as they were. */
  before(id: string): JsonObject {
    return this.#before.get(id) ?? NO_VALUES;
  }

  /** Returns the values of an object as the call leaves them. */
  after(id: string): JsonObject {
    return this.#after.get(id) ?? this.before(id);
  }

  /** Notes how the call leaves the values of an object; null: as they were. */
  keep(id: string, values: JsonObject | null): void {
    if (values === null || values === this.before(id)) this.#after.delete(id);
    else this.#after.set(id, values);
  }

  /** Returns the objects whose values the call changes, with the columns. */
  *changes(): Generator<readonly [id: string, columns: readonly string[]]> {
    for (const [id, values] of this.#after) {
      const columns = this.#changed(id, values);
      if (columns.length > 0) yield [id, columns];
    }
  }

  /** Returns whether the call changes values of the object. */
  isChanged(id: string): boolean {
    const values = this.#after.get(id);
    return values !== undefined && this.#changed(id, values).length > 0;
  }

  #changed(id: string, values: JsonObject): readonly string[] {
    const before = this.before(id);
    const isOther = ({ name }: { readonly name: string }): boolean =>
      !jsonEqual(before[name] ?? null, values[name] ?? null);
    return perUserOf(this.#type)
      .filter(isOther)
      .map(({ column }) => column);
  }

  /** Returns an object as the user reads it. */
  shown(object: StoredObject, values: JsonObject): StoredObject {
    return withUserValues(object, values, this.viewer, perUserOf(this.#type));
  }

  /** Returns the names that are of properties which all users share. */
  shared(names: readonly string[]): readonly string[] {
    return names.some((name) => this.#names.has(name))
      ? names.filter((name) => !this.#names.has(name))
      : names;
  }

  /** Returns values without those whose default a patch restores by null. */
  restored(values: JsonObject, patch: JsonObject): JsonObject {
    const isRestored = (name: string): boolean =>
      this.#names.has(name) && Object.hasOwn(patch, name) && patch[name] === null;
    const names = Object.keys(values).filter((name) => values[name] !== null && isRestored(name));
    if (names.length === 0) return values;
    const left = Object.assign(emptyObject(), values);
    for (const name of names) left[name] = null;
    return left;
  }

  /** Returns the values that a user has after an update made `object` of the one it saw. */
  valuesAfter(values: JsonObject, object: JsonObject, changed: readonly string[]): JsonObject {
    const own = changed.filter((name) => this.#names.has(name));
    if (own.length === 0) return values;
    const after = Object.assign(emptyObject(), values);
    for (const name of own) after[name] = object[name] ?? null;
    return after;
  }
}
