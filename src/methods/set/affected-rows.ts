import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import { WORKING_OCTETS } from '../long-calls.js';
import type { Registry } from '../registry.js';
import { indexOf } from '../type-index.js';
import { idsByType, type Link, type ObjectKey, textOf } from './object-keys.js';

/**
 * The rows that a destroy touches. An object that goes needs only its links, unless hooks see it, so large objects may
 * go together. An object that only loses links is written, so its whole row is read.
 */
export class AffectedRows {
  readonly #snapshot: Snapshot;
  readonly #registry: Registry;
  /** Whether hooks see what becomes of objects of the type. */
  readonly #isSeen: (type: DataTypeDefinition) => boolean;
  readonly #rows = new Map<string, StoredObject>();
  /** Keys of those that have no more than their links. */
  readonly #cut = new Set<string>();

  constructor(
    snapshot: Snapshot,
    registry: Registry,
    isSeen: (type: DataTypeDefinition) => boolean,
  ) {
    this.#snapshot = snapshot;
    this.#registry = registry;
    this.#isSeen = isSeen;
  }

  get(key: string): StoredObject | undefined {
    return this.#rows.get(key);
  }

  keys(): Iterable<string> {
    return this.#rows.keys();
  }

  /** What is read already of objects that the call is to destroy: whole rows where hooks see them. */
  add(type: DataTypeDefinition, rows: Iterable<StoredObject>): void {
    this.#put(type, rows, !this.#isSeen(type));
  }

  /** Those that follow by one of these links, or lose it: one operation a type for each. */
  async readFollowers(links: readonly Link[]): Promise<void> {
    const following = new Set<string>();
    for (const { from, property } of links) {
      if (property.reference.onDestroy === 'cascade') following.add(textOf(from));
    }
    for (const [name, ids] of idsByType(links.map(({ from }) => from))) {
      const type = this.#registry.dataTypes.get(name);
      if (type === undefined) continue;
      const all = this.#isSeen(type);
      const isCut = (id: string): boolean => !all && following.has(textOf({ type: name, id }));
      const whole = [...ids].filter((id) => !isCut(id));
      this.#put(type, await this.#read(type, whole, type.properties), false);
      const cut = [...ids].filter(isCut);
      this.#put(type, await this.#read(type, cut, indexOf(type).links), true);
    }
  }

  /** Reads whole what may stay after all, and is to lose links. */
  async complete(objects: readonly ObjectKey[]): Promise<void> {
    const cut = objects.filter((key) => this.#cut.has(textOf(key)));
    for (const [name, ids] of idsByType(cut)) {
      const type = this.#registry.dataTypes.get(name);
      if (type === undefined) continue;
      this.#put(type, await this.#read(type, [...ids], type.properties), false);
    }
  }

  async #read(
    type: DataTypeDefinition,
    ids: readonly string[],
    properties: readonly PropertyDefinition[],
  ): Promise<readonly StoredObject[]> {
    return ids.length === 0 ? [] : this.#snapshot.get(type, ids, properties, WORKING_OCTETS);
  }

  #put(type: DataTypeDefinition, rows: Iterable<StoredObject>, isCut: boolean): void {
    for (const row of rows) {
      const key = textOf({ type: type.name, id: row.id });
      this.#rows.set(key, row);
      if (isCut) this.#cut.add(key);
      else this.#cut.delete(key);
    }
  }
}
