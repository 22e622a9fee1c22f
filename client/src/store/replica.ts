import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import type { TypeTable } from '../schema/tables.js';
import type { ServerList } from './list-state.js';
import { countCommon, type Log, namesIn, replaceNames } from './log.js';
import { applyPatch, type Defaults } from './patches.js';
import { isEqual, withMember } from './values.js';
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

/** A client has all objects of a type, or those that it has been asked for. */
export type Coverage = 'all' | 'known';

/** The type of an alias of a file. */
export const BLOB = 'Blob';

/** The id that an object made here, or an uploaded file, has got. */
export interface Alias {
  readonly type: string;
  readonly id: string;
}

/** A change of everything that a client has of an account; whole or not at all. */
export interface Change {
  readonly objects?: ReadonlyMap<string, ServerObjects>;
  /** States that the objects of a type have reached by /changes; null: unknown. */
  readonly cursors?: ReadonlyMap<string, string | null>;
  /** Types of which the client has so many objects from now on; null: unknown. */
  readonly coverage?: ReadonlyMap<string, Coverage | null>;
  /** Ids of objects that are ahead of the states of their types, as far as is known. */
  readonly early?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Lists that the server decides, by their names; null: nobody needs it any more. */
  readonly lists?: ReadonlyMap<string, ServerList | null>;
  /** Ids that objects made here have got, by their keys. */
  readonly aliases?: ReadonlyMap<Key, Alias>;
  readonly log?: Log;
}

/** Rows of a type that a change made, changed or took away, by their keys, as they were before. */
export type TouchedRows = ReadonlyMap<Key, Row | undefined>;

/** The rows that a change made, changed or took away, by their types. */
export type Touched = ReadonlyMap<string, TouchedRows>;

/** Notes a row that is about to be another one, as it is. */
type Touch = (type: string, key: Key, before: Row | undefined) => void;

const NONE: ReadonlySet<string> = new Set();

/**
 * A copy of an account: the objects as the server has them, and the log of writes that it has not
 * answered. The view is the one with the other applied.
 */
export class Replica {
  readonly #types = new Map<string, Copy>();
  readonly #cursors = new Map<string, string>();
  readonly #coverage = new Map<string, Coverage>();
  readonly #early = new Map<string, ReadonlySet<string>>();
  readonly #lists = new Map<string, ServerList>();
  readonly #aliases = new Map<Key, Alias>();
  #log: Log = [];

  constructor(tables: Iterable<TypeTable>) {
    for (const table of tables) this.#types.set(table.name, new Copy(table));
  }

  get log(): Log {
    return this.#log;
  }

  hasType(type: string): boolean {
    return this.#types.has(type);
  }

  cursor(type: string): string | null {
    return this.#cursors.get(type) ?? null;
  }

  /** Returns which objects of a type are there, as of some state; null: not all of them yet. */
  coverage(type: string): Coverage | null {
    return this.#coverage.get(type) ?? null;
  }

  /** Returns a list that the server decides. */
  list(name: string): ServerList | undefined {
    return this.#lists.get(name);
  }

  /** Returns all of these lists; the one that was added last comes last. */
  get lists(): Iterable<ServerList> {
    return this.#lists.values();
  }

  /** Returns the ids of the objects of a type that are ahead of its state. */
  early(type: string): ReadonlySet<string> {
    return this.#early.get(type) ?? NONE;
  }

  /** Returns the id of a key; null where the server has not given it one. */
  idOf(key: Key): string | null {
    return isLocalKey(key) ? (this.#aliases.get(key)?.id ?? null) : key;
  }

  /** Returns the ids of keys. */
  get aliases(): ReadonlyMap<Key, Alias> {
    return this.#aliases;
  }

  /** Returns the alias of a key; undefined where the server has not given it an id. */
  aliasOf(key: Key): Alias | undefined {
    return this.#aliases.get(key);
  }

  /** Returns the key of an id or of a key. Ids name objects of one type alone. */
  keyOf(type: string, id: string): Key {
    return this.#copyOf(type).keyOf(id);
  }

  /** Returns the row of a key or an id. */
  row(type: string, id: string): Row | undefined {
    const copy = this.#copyOf(type);
    return copy.row(copy.keyOf(id));
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

  /** Returns how many objects of a type there are. */
  count(type: string): number {
    return this.#copyOf(type).count;
  }

  /** Returns whether the log has writes of the object of a write. */
  isWritten({ type, key }: PendingWrite): boolean {
    return this.#copyOf(type).isWritten(key);
  }

  /** Returns whether the client has an object of the server's. */
  has(type: string, id: string): boolean {
    return this.base(type, this.keyOf(type, id)) !== undefined;
  }

  /** Returns the row that a write would make of another one, by default of the present one. */
  preview(
    write: PendingWrite,
    row: Row | null = this.row(write.type, write.key) ?? null,
    isPending = false,
  ): Row | undefined {
    return this.#copyOf(write.type).preview(write, row, isPending);
  }

  /** Returns an object without its secrets, which clients give and never get. */
  withoutSecrets(type: string, object: JsonObject): JsonObject {
    return this.#copyOf(type).withoutSecrets(object);
  }

  /** Returns whether the values of a property have ids of objects. */
  namesObjects(type: string, property: string): boolean {
    return this.#copyOf(type).namesObjects(property);
  }

  defaultsOf(type: string): Defaults {
    return this.#copyOf(type).defaults;
  }

  /** Makes a change; the view is whole again when it returns. */
  apply({ objects, cursors, coverage, early, lists, aliases, log }: Change): Touched {
    const touched = new Map<string, Map<Key, Row | undefined>>();
    const touch: Touch = (type, key, before) => {
      const rows = touched.get(type) ?? new Map<Key, Row | undefined>();
      touched.set(type, rows);
      // A row that is touched twice was the first one before.
      if (!rows.has(key)) rows.set(key, before);
    };
    for (const [key, alias] of aliases ?? []) this.#setAlias(key, alias, touch);
    // Writes that name these objects show their ids from now on.
    for (const write of aliases?.size ? this.#log : []) {
      if ([...namesIn(write)].some((key) => aliases?.has(key))) this.#touchWritten(write, touch);
    }
    for (const [type, state] of cursors ?? []) {
      if (state === null) this.#cursors.delete(type);
      else this.#cursors.set(type, state);
    }
    for (const [type, one] of coverage ?? []) {
      if (one === null) this.#coverage.delete(type);
      else this.#coverage.set(type, one);
    }
    for (const [type, ids] of early ?? []) this.#early.set(type, ids);
    for (const [name, list] of lists ?? []) {
      // The last one that was looked at comes last.
      this.#lists.delete(name);
      if (list !== null) this.#lists.set(name, list);
    }
    for (const [type, ofType] of objects ?? []) {
      const copy = this.#copyOf(type);
      for (const [id, object] of ofType) {
        const key = copy.keyOf(id);
        const before = copy.row(key);
        if (copy.setBase(key, object)) touch(type, key, before);
      }
    }
    if (log !== undefined) this.#setLog(log, touch);
    const nameOf = (text: string): string => this.idOf(text) ?? text;
    for (const [type, rows] of touched) {
      const copy = this.#copyOf(type);
      for (const key of rows.keys()) copy.refresh(key, nameOf);
    }
    return touched;
  }

  /**
   * The object may have come by its id before: from then on its key is the one made here. An object
   * that had this key before was made twice: its id is its key again.
   */
  #setAlias(key: Key, alias: Alias, touch: Touch): void {
    const { type, id } = alias;
    const before = this.#aliases.get(key)?.id;
    if (before === id) return;
    this.#aliases.set(key, alias);
    if (before !== undefined && this.#types.get(type)?.keyOf(before) === key)
      this.#rename(type, before, before, touch);
    this.#rename(type, id, key, touch);
  }

  #rename(type: string, id: string, key: Key, touch: Touch): void {
    // Files have aliases too.
    const copy = this.#types.get(type);
    const old = copy?.keyOf(id) ?? id;
    const before = [copy?.row(old), copy?.row(key)] as const;
    if (!copy?.rename(id, key)) return;
    touch(type, old, before[0]);
    touch(type, key, before[1]);
  }

  #touchWritten({ type, key }: PendingWrite, touch: Touch): void {
    touch(type, key, this.#copyOf(type).row(key));
  }

  #setLog(log: Log, touch: Touch): void {
    const start = countCommon(this.#log, log);
    const [before, after] = [this.#log.slice(start), log.slice(start)];
    const [old, young] = [new Set(before), new Set(after)];
    for (const write of before) {
      this.#copyOf(write.type).remove(write);
      if (!young.has(write)) this.#touchWritten(write, touch);
    }
    for (const write of after) {
      this.#copyOf(write.type).add(write);
      if (!old.has(write)) this.#touchWritten(write, touch);
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
  readonly #secrets: readonly string[];
  readonly #base = new Map<Key, Row>();
  /** The keys of objects that were made here, by their ids. */
  readonly #keys = new Map<string, Key>();
  /** The writes of the log by their objects, in order. */
  readonly #writes = new Map<Key, readonly PendingWrite[]>();
  /** Rows with pending writes; null where a write takes the object away. */
  readonly #pending = new Map<Key, Row | null>();

  constructor(table: TypeTable) {
    this.#table = table;
    this.#secrets = Object.keys(table.properties).filter(
      (name) => table.properties[name]?.access === 'secret',
    );
    this.defaults = (property) => table.properties[property]?.default ?? null;
  }

  namesObjects(property: string): boolean {
    const references = this.#table.properties[property]?.references ?? [];
    return references.some(({ type }) => type !== null);
  }

  keyOf(id: string): Key {
    return this.#keys.get(id) ?? id;
  }

  base(key: Key): Row | undefined {
    return this.#base.get(key);
  }

  get count(): number {
    return this.#base.size;
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

  /** Gives an object another key. Returns whether the object is there. */
  rename(id: string, key: Key): boolean {
    const old = this.keyOf(id);
    this.#keys.set(id, key);
    const row = this.#base.get(old);
    if (row === undefined) return false;
    this.#base.delete(old);
    this.#base.set(key, makeRow(row, key, false));
    return true;
  }

  isWritten(key: Key): boolean {
    return this.#writes.has(key);
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
    const row = object && makeRow(this.withoutSecrets(object), key, true);
    // A write that is sent now, and was not before, shows the same.
    if (row === null || !isEqual(row, this.#pending.get(key) ?? undefined))
      this.#pending.set(key, row);
  }

  preview(write: PendingWrite, row: Row | null, isPending: boolean): Row | undefined {
    const object = this.#applied(row, write);
    return object === null ? undefined : makeRow(this.withoutSecrets(object), write.key, isPending);
  }

  withoutSecrets(object: JsonObject): JsonObject {
    return this.#secrets.reduce<JsonObject>(
      (rest, name) => (Object.hasOwn(rest, name) ? withMember(rest, name, undefined) : rest),
      object,
    );
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
  // Members behind a spread cost V8 three times the memory. The object may be a row itself, so they
  // are set anew.
  const row = { id, $key: key, $pending: isPending, ...object };
  return freezeDeep(Object.assign(row, { id, $key: key, $pending: isPending }));
}

/** Freezes a value with all in it: whoever has a row can't change the copy by it. */
function freezeDeep<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member as JsonValue);
  return Object.freeze(value);
}
