import type { Aggregate } from '../../capability/aggregates.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { IdGenerator } from '../../protocol/ids.js';
import { emptyObject, type JsonValue } from '../../protocol/json.js';
import type { Slices } from '../../runtime/slices.js';
import type { StoredObject, Transaction } from '../../store/port.js';
import type { Quotas } from '../quota/quota-index.js';
import { SINGLETON_ID, unwrittenSingleton } from '../set/draft.js';
import { stampUpdate } from '../set/update.js';
import { indexOf } from '../type-index.js';
import type { AccessRelations } from './scope-upkeep.js';
import { type Tally, tallyOf } from './tallies.js';

/** Returns an object with its own-row computed properties. */
export type Compute = (type: DataTypeDefinition, object: StoredObject) => StoredObject;

/** The things that a unit of work needs to keep aggregates. */
export interface Upkeep {
  /** By the name of the type that they are made of. */
  readonly aggregates: ReadonlyMap<string, readonly Aggregate[]>;
  readonly compute: Compute;
  /** Returns the time of the change, ms; null where objects keep the time of their last one. */
  readonly now: (() => number) | null;
  /** Absent where no type has any. */
  readonly quotas?: Quotas | null;
  readonly access?: AccessRelations;
  /** The users who see each other; absent where the server has no principals. */
  readonly principals?: PrincipalUpkeep | null;
}

/** The things that a unit of work needs to know which users know of each other. */
export interface PrincipalUpkeep {
  /** Makes the ids of notices. */
  readonly ids: IdGenerator;
  /** A user sees those alone with whom it has an account in common. */
  readonly isLimited: boolean;
}

/** An object with an aggregate that has changed: as it was. */
export interface Follower {
  readonly type: DataTypeDefinition;
  readonly before: StoredObject;
}

/** An object that the unit has changed and not written yet. */
interface Changed {
  readonly id: string;
  readonly after: StoredObject | null;
  /** The row that the database holds. */
  readonly stored: StoredObject | null;
}

/** The unit of work, as far as aggregates follow it. */
export interface FollowedUnit {
  readonly transaction: Transaction;
  readonly slices: Slices;
  /** Returns the objects of a type that differ from the database; none for most types. */
  unwritten(type: string): readonly Changed[];
  current(type: DataTypeDefinition, id: string): StoredObject | null | undefined;
  isNew(type: DataTypeDefinition, id: string): boolean;
  update(
    type: DataTypeDefinition,
    before: StoredObject,
    after: StoredObject,
    stored?: StoredObject | null,
  ): void;
}

/** Brings the aggregates of a unit up to date, ahead of its writes. */
export class AggregateUpkeep {
  readonly #unit: FollowedUnit;
  readonly #upkeep: Upkeep;
  /** The objects as the aggregates know them, where that is not as the database has them. */
  readonly #known = new Map<Changed, StoredObject | null>();
  readonly #followers: Follower[] = [];

  constructor(unit: FollowedUnit, upkeep: Upkeep) {
    this.#unit = unit;
    this.#upkeep = upkeep;
  }

  /**
   * Puts the new values into the unit, and then those that are made of them. For each property that
   * takes one statement at most, and one for each type that has such properties.
   */
  async follow(): Promise<readonly Follower[]> {
    for (;;) {
      const tallies = new Map<DataTypeDefinition, Tally[]>();
      for (const [source, aggregates] of this.#upkeep.aggregates) {
        const changed = this.#unit.unwritten(source);
        if (changed.every((one) => this.#before(one) === one.after)) continue;
        for (const tally of await this.#tally(changed, aggregates)) {
          const { type } = tally.aggregate;
          tallies.set(type, [...(tallies.get(type) ?? []), tally]);
        }
      }
      if (tallies.size === 0) return this.#followers;
      for (const [type, ofType] of tallies) await this.#put(type, ofType);
    }
  }

  /** Tells the aggregates of a type of all objects that the unit has changed. */
  async #tally(
    changed: readonly Changed[],
    aggregates: readonly Aggregate[],
  ): Promise<readonly Tally[]> {
    const tallies = aggregates.map(tallyOf);
    const { slices } = this.#unit;
    for (const one of changed) {
      if (slices.isOver()) await slices.next();
      const step = { id: one.id, before: this.#before(one), after: one.after };
      for (const tally of tallies) tally.note(step);
      this.#known.set(one, one.after);
    }
    return tallies;
  }

  #before(one: Changed): StoredObject | null {
    return this.#known.has(one) ? (this.#known.get(one) ?? null) : one.stored;
  }

  async #put(type: DataTypeDefinition, tallies: readonly Tally[]): Promise<void> {
    const unit = this.#unit;
    const rows = await this.#rows(type, new Set(tallies.flatMap(({ ids }) => ids)));
    const changes = new Map<string, Record<string, JsonValue>>();
    for (const tally of tallies) {
      const { source, property } = tally.aggregate;
      const there = tally.ids.filter((id) => rows.has(id));
      const told = unit.unwritten(source.name).filter(({ stored }) => stored !== null);
      const made = await tally.values(there, {
        snapshot: unit.transaction,
        told: told.map(({ id }) => id),
        current: (id) => rows.get(id)?.object[property.name] ?? null,
      });
      for (const [id, value] of made) {
        if (rows.get(id)?.object[property.name] === value) continue;
        const changed = changes.get(id) ?? emptyObject<JsonValue>();
        changes.set(id, changed);
        changed[property.name] = value;
      }
    }
    for (const [id, changed] of changes) this.#update(type, rows.get(id), changed);
  }

  #update(
    type: DataTypeDefinition,
    row: Row | undefined,
    changed: Readonly<Record<string, JsonValue>>,
  ): void {
    if (row === undefined) return;
    const unit = this.#unit;
    const { object, stored } = row;
    const { now } = this.#upkeep;
    const after = Object.assign(emptyObject(), object, changed);
    const index = indexOf(type);
    // A new object keeps the time of its creation.
    if (now !== null && !unit.isNew(type, object.id))
      stampUpdate(after, { index, now: now() }, object);
    unit.update(type, object, this.#upkeep.compute(type, after as StoredObject), stored);
    this.#followers.push({ type, before: object });
  }

  /** Returns rows as the unit leaves them; those that it hasn't touched are read at once. */
  async #rows(
    type: DataTypeDefinition,
    ids: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Row>> {
    const unit = this.#unit;
    const rows = new Map<string, Row>();
    const unread: string[] = [];
    for (const id of ids) {
      const object = unit.current(type, id);
      if (object === undefined) unread.push(id);
      else if (object !== null) rows.set(id, { object, stored: object });
    }
    if (unread.length === 0) return rows;
    const found = await unit.transaction.get(type, unread, type.properties);
    for (const object of found) rows.set(object.id, { object, stored: object });
    // Readers see its defaults.
    if (type.singleton === true && !rows.has(SINGLETON_ID) && ids.has(SINGLETON_ID))
      rows.set(SINGLETON_ID, { object: unwrittenSingleton(indexOf(type)), stored: null });
    return rows;
  }
}

/** An object of a type that has aggregates; `stored` is null where it has no row yet. */
interface Row {
  readonly object: StoredObject;
  readonly stored: StoredObject | null;
}
