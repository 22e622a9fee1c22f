import type { DataTypeDefinition } from '../../capability/definition.js';
import { emptyObject } from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { indexOf } from '../type-index.js';
import { referredIds } from '../work/links.js';
import type { UnitOfWork } from '../work/unit.js';
import type { Relations } from './relations.js';
import { stampUpdate } from './update.js';

/** An object with its own-row computed properties. */
export type Compute = (type: DataTypeDefinition, object: StoredObject) => StoredObject;

interface Tally {
  readonly type: DataTypeDefinition;
  /** By object id, then by property name. */
  readonly byId: Map<string, Map<string, number>>;
}

/** Keeps computed counts: adds up their changes, then reads once for each counting type. */
export class Counts {
  readonly #relations: Relations;
  readonly #compute: Compute;
  readonly #tallies = new Map<string, Tally>();

  constructor(relations: Relations, compute: Compute) {
    this.#relations = relations;
    this.#compute = compute;
  }

  /** From one row of an object to the next; null for none. */
  note(type: DataTypeDefinition, before: StoredObject | null, after: StoredObject | null): void {
    const counted = this.#relations.counts.get(type.name);
    if (counted === undefined) return;
    for (const { type: counting, property, referenceName } of counted) {
      const reference = indexOf(type).references.find(({ name }) => name === referenceName);
      if (reference === undefined) continue;
      const add = (object: StoredObject | null, step: number): void => {
        for (const id of referredIds(reference, object)) {
          this.#add(counting, id, property.name, step);
        }
      };
      add(before, -1);
      add(after, 1);
    }
  }

  /** Puts the new counts into the unit; `changed` is told of each object. */
  async apply(
    unit: UnitOfWork,
    now: number,
    changed: (type: DataTypeDefinition, before: StoredObject) => void,
  ): Promise<void> {
    for (const { type, byId } of this.#tallies.values()) {
      const moved = [...byId].filter(([, steps]) => [...steps.values()].some((step) => step !== 0));
      if (moved.length === 0) continue;
      const rows = await currentRows(
        unit,
        type,
        moved.map(([id]) => id),
      );
      for (const [id, steps] of moved) {
        const row = rows.get(id);
        if (row === undefined) continue;
        const counted = Object.assign(emptyObject(), row);
        for (const [name, step] of steps) counted[name] = Number(row[name] ?? 0) + step;
        const index = indexOf(type);
        // A new object keeps the time of its creation.
        if (!unit.isNew(type, id)) stampUpdate(counted, { index, now }, row);
        unit.update(type, row, this.#compute(type, counted as StoredObject));
        changed(type, row);
      }
    }
  }

  #add(type: DataTypeDefinition, id: string, property: string, step: number): void {
    let tally = this.#tallies.get(type.name);
    if (tally === undefined) {
      tally = { type, byId: new Map() };
      this.#tallies.set(type.name, tally);
    }
    const steps = tally.byId.get(id) ?? new Map<string, number>();
    tally.byId.set(id, steps.set(property, (steps.get(property) ?? 0) + step));
  }
}

/** Returns rows as the unit leaves them; those that it hasn't touched are read at once. */
async function currentRows(
  unit: UnitOfWork,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredObject>> {
  const rows = new Map<string, StoredObject>();
  const unread: string[] = [];
  for (const id of ids) {
    const row = unit.current(type, id);
    if (row === undefined) unread.push(id);
    else if (row !== null) rows.set(id, row);
  }
  if (unread.length === 0) return rows;
  const found = await unit.transaction.get(type, unread, type.properties);
  for (const row of found) rows.set(row.id, row);
  return rows;
}
