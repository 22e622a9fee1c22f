import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import { countCommon, type Log, namesIn, replaceNames } from './log.js';
import { applyPatch, type Defaults } from './patches.js';
import { isEqual } from './values.js';
import { isLocalKey, type Key, type PendingWrite } from './write.js';

/** An object on screen. It is the same one until something of it changes. */
export type Row = JsonObject & {
  readonly id: string;
  readonly $key: Key;
  /** The server has not answered all writes of it. */
  readonly $pending: boolean;
};

/** Objects of a type by their ids, as the server has them; null: it has none. */
export type ServerObjects = ReadonlyMap<string, JsonObject | null>;

/** A change of everything that a client has of an account; whole or not at all. */
export interface Change {
  readonly objects?: ReadonlyMap<string, ServerObjects>;
  /** States that the objects of a type have reached by /changes; null: unknown. */
  readonly cursors?: ReadonlyMap<string, string | null>;
  /** Types of which the client has all objects from now on. */
  readonly covered?: Iterable<string>;
  /** Ids of objects that are ahead of the states of their types (sync/early.ts). */
  readonly early?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ids that objects made here have got, by their keys. */
  readonly aliases?: ReadonlyMap<Key, string>;
  readonly log?: Log;
}

/** The keys of rows that a change made, changed or took away, by their types. */
export type Touched = ReadonlyMap<string, ReadonlySet<Key>>;

const NONE: ReadonlySet<string> = new Set();

/**
 * A copy of an account: the objects as the server has them, and the log of writes that it has not
 * answered. The view is the one with the other applied.
 */
export class Replica {
  readonly #types = new Map<string, Copy>();
  readonly #cursors = new Map<string, string>();
  readonly #covered = new Set<string>();
  readonly #early = new Map<string, ReadonlySet<string>>();
  readonly #aliases = new Map<Key, string>();
  readonly #keys = new Map<string, Key>();
  #log: Log = [];

  constructor(tables: Iterable<TypeTable>) {
    for (const table of tables) this.#types.set(table.name, new Copy(table));
  }

  get log(): Log {
    return this.#log;
  }

  cursor(type: string): string | null {
    return this.#cursors.get(type) ?? null;
  }

  /** Returns whether all objects of a type are there, as of some state. */
  isCovered(type: string): boolean {
    return this.#covered.has(type);
  }

  /** Returns the ids of the objects of a type that are ahead of its state. */
  early(type: string): ReadonlySet<string> {
    return this.#early.get(type) ?? NONE;
  }

  /** Returns the id of a key; null where the server has not given it one. */
  idOf(key: Key): string | null {
    return isLocalKey(key) ? (this.#aliases.get(key) ?? null) : key;
  }

  /** Returns the key of an id or of a key. */
  keyOf(id: string): Key {
    return this.#keys.get(id) ?? id;
  }

  /** Returns the row of a key or an id. */
  row(type: string, id: string): Row | undefined {
    return this.#copyOf(type).row(this.keyOf(id));
  }

  /** Returns all rows of a type, in no order. */
  rows(type: string): Iterable<Row> {
    return this.#copyOf(type).rows();
  }

  /** Returns all objects of a type as the server has them. */
  baseRows(type: string): Iterable<Row> {
    return this.#copyOf(type).baseRows();
  }

  /** Returns the object as the server has it, with its pending writes left out. */
  base(type: string, key: Key): Row | undefined {
    return this.#copyOf(type).base(key);
  }

  /** Returns the row that a write would make, were it made. */
  preview(write: PendingWrite): Row | undefined {
    return this.#copyOf(write.type).preview(write);
  }

  defaultsOf(type: string): Defaults {
    return this.#copyOf(type).defaults;
  }

  /** Makes a change; the view is whole again when it returns. */
  apply({ objects, cursors, covered, early, aliases, log }: Change): Touched {
    const touched = new Map<string, Set<Key>>();
    const touch = (type: string, key: Key): void => {
      const keys = touched.get(type);
      if (keys === undefined) touched.set(type, new Set([key]));
      else keys.add(key);
    };
    for (const [key, id] of aliases ?? []) this.#setAlias(key, id, touch);
    // Writes that name these objects show their ids from now on.
    for (const write of aliases === undefined ? [] : this.#log) {
      if ([...namesIn(write)].some((key) => aliases?.has(key))) touch(write.type, write.key);
    }
    for (const [type, state] of cursors ?? []) {
      if (state === null) this.#cursors.delete(type);
      else this.#cursors.set(type, state);
    }
    for (const type of covered ?? []) this.#covered.add(type);
    for (const [type, ids] of early ?? []) this.#early.set(type, ids);
    for (const [type, ofType] of objects ?? []) {
      const copy = this.#copyOf(type);
      for (const [id, object] of ofType) {
        const key = this.keyOf(id);
        if (copy.setBase(key, object)) touch(type, key);
      }
    }
    if (log !== undefined) this.#setLog(log, touch);
    for (const [type, keys] of touched) {
      const copy = this.#copyOf(type);
      for (const key of keys) copy.refresh(key, (text) => this.idOf(text) ?? text);
    }
    return touched;
  }

  /** The object may have come by its id before: from then on its key is the one made here. */
  #setAlias(key: Key, id: string, touch: (type: string, key: Key) => void): void {
    if (this.#aliases.get(key) === id) return;
    this.#aliases.set(key, id);
    this.#keys.set(id, key);
    for (const [type, copy] of this.#types) {
      if (!copy.move(id, key)) continue;
      touch(type, id);
      touch(type, key);
    }
  }

  #setLog(log: Log, touch: (type: string, key: Key) => void): void {
    const start = countCommon(this.#log, log);
    const [before, after] = [this.#log.slice(start), log.slice(start)];
    const [old, young] = [new Set(before), new Set(after)];
    for (const write of before) {
      this.#copyOf(write.type).remove(write);
      if (!young.has(write)) touch(write.type, write.key);
    }
    for (const write of after) {
      this.#copyOf(write.type).add(write);
      if (!old.has(write)) touch(write.type, write.key);
    }
    this.#log = log;
  }

  #copyOf(type: string): Copy {
    const copy = this.#types.get(type);
    if (copy === undefined) throw new Error(`The client knows no type "${type}".`);
    return copy;
  }
}

/** The objects of one type. */
class Copy {
  readonly defaults: Defaults;
  readonly #table: TypeTable;
  readonly #base = new Map<Key, Row>();
  /** The writes of the log by their objects, in order. */
  readonly #writes = new Map<Key, readonly PendingWrite[]>();
  /** Rows with pending writes; null where a write takes the object away. */
  readonly #pending = new Map<Key, Row | null>();

  constructor(table: TypeTable) {
    this.#table = table;
    this.defaults = (property) => table.properties[property]?.default ?? null;
  }

  base(key: Key): Row | undefined {
    return this.#base.get(key);
  }

  baseRows(): Iterable<Row> {
    return this.#base.values();
  }

  row(key: Key): Row | undefined {
    const pending = this.#pending.get(key);
    return pending === undefined ? this.#base.get(key) : (pending ?? undefined);
  }

  *rows(): Iterable<Row> {
    for (const [key, row] of this.#base) if (!this.#pending.has(key)) yield row;
    for (const row of this.#pending.values()) if (row !== null) yield row;
  }

  /** Returns whether the object is another one than before. */
  setBase(key: Key, object: JsonObject | null): boolean {
    if (object === null) return this.#base.delete(key);
    const row = makeRow(object, key, false);
    if (isEqual(row, this.#base.get(key))) return false;
    this.#base.set(key, row);
    return true;
  }

  move(from: Key, to: Key): boolean {
    const row = this.#base.get(from);
    if (row === undefined) return false;
    this.#base.delete(from);
    this.#base.set(to, makeRow(row, to, false));
    return true;
  }

  add(write: PendingWrite): void {
    this.#writes.set(write.key, [...(this.#writes.get(write.key) ?? []), write]);
  }

  remove(write: PendingWrite): void {
    const rest = this.#writes.get(write.key)?.filter((other) => other !== write) ?? [];
    if (rest.length > 0) this.#writes.set(write.key, rest);
    else this.#writes.delete(write.key);
  }

  /** Makes the row of a key anew, from the object and its pending writes. */
  refresh(key: Key, nameOf: (text: string) => string): void {
    const writes = this.#writes.get(key);
    if (writes === undefined) {
      this.#pending.delete(key);
      return;
    }
    let object: JsonObject | null = this.#base.get(key) ?? null;
    for (const write of writes) object = this.#applied(object, replaceNames(write, nameOf));
    const row = object && makeRow(object, key, true);
    // A write that is sent now, and was not before, shows the same.
    if (row === null || !isEqual(row, this.#pending.get(key) ?? undefined))
      this.#pending.set(key, row);
  }

  preview(write: PendingWrite): Row | undefined {
    const object = this.#applied(this.row(write.key) ?? null, write);
    return object === null ? undefined : makeRow(object, write.key, false);
  }

  #applied(object: JsonObject | null, write: PendingWrite): JsonObject | null {
    if (write.kind === 'destroy') return null;
    if (write.kind === 'update') return object && applyPatch(object, write.patch, this.defaults);
    return { ...this.#defaultValues(), ...write.provisional, ...object, ...write.values };
  }

  #defaultValues(): JsonObject {
    const known = Object.entries(this.#table.properties).flatMap(([name, property]) =>
      property.default === undefined ? [] : [[name, property.default] as const],
    );
    return Object.fromEntries(known);
  }
}

function makeRow(object: JsonObject, key: Key, isPending: boolean): Row {
  const id = typeof object['id'] === 'string' ? object['id'] : key;
  return freezeDeep({ ...object, id, $key: key, $pending: isPending });
}

/** Freezes a value with all in it: whoever has a row can't change the copy by it. */
function freezeDeep<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member as JsonValue);
  return Object.freeze(value);
}
