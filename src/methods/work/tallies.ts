import { type Aggregate, betterOf, partOf } from '../../capability/aggregates.js';
import { addExact, type Exact, exactOf, exactValue, ZERO } from '../../capability/exact-sum.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import { SINGLETON_ID } from '../set/draft.js';
import { referredIds } from './links.js';

/** An object from one row to the next; null for none. */
export interface Step {
  readonly id: string;
  readonly before: StoredObject | null;
  readonly after: StoredObject | null;
}

/** The things that a tally asks while it makes values. */
export interface TallyScene {
  readonly snapshot: Snapshot;
  /** Ids of the objects that it was told of: the database has them as they were. */
  readonly told: readonly string[];
  /** Returns the value that an object has now. */
  current(id: string): JsonValue;
}

/**
 * Adds up what an aggregate gains and loses by changes to the objects that it is made of. It is
 * told of each of them that a transaction has changed and not written yet.
 */
export interface Tally {
  readonly aggregate: Aggregate;
  note(step: Step): void;
  /** Ids of objects whose values may change. */
  readonly ids: readonly string[];
  /** Resolves to the values of `ids`, by one statement at most. */
  values(ids: readonly string[], scene: TallyScene): Promise<ReadonlyMap<string, JsonValue>>;
}

/** Returns a tally of the aggregate's kind. */
export function tallyOf(aggregate: Aggregate): Tally {
  const { kind, of } = aggregate;
  if (kind === 'min' || kind === 'max') return new ExtremeTally(aggregate);
  return kind === 'count' && of !== null ? new DistinctTally(aggregate) : new SumTally(aggregate);
}

/** The objects whose aggregate an object is part of, and what it is there. */
interface Part {
  readonly ids: readonly string[];
  readonly value: JsonValue;
}

const NO_PART: Part = Object.freeze({ ids: [], value: null });
const ONE_OBJECT: readonly string[] = Object.freeze([SINGLETON_ID]);

function partIn(aggregate: Aggregate, object: StoredObject | null): Part {
  if (object === null) return NO_PART;
  const value = partOf(aggregate, object);
  if (value === null) return NO_PART;
  const { reference } = aggregate;
  return { ids: reference === null ? ONE_OBJECT : referredIds(reference, object), value };
}

/** The number of objects, or their sum: what is there changes by what comes and goes. */
class SumTally implements Tally {
  readonly aggregate: Aggregate;
  readonly #steps = new Map<string, Exact>();

  constructor(aggregate: Aggregate) {
    this.aggregate = aggregate;
  }

  get ids(): readonly string[] {
    return [...this.#steps].flatMap(([id, { digits }]) => (digits === 0n ? [] : [id]));
  }

  note({ before, after }: Step): void {
    if (before === after) return;
    this.#add(partIn(this.aggregate, before), -1);
    this.#add(partIn(this.aggregate, after), 1);
  }

  async values(
    ids: readonly string[],
    { current }: TallyScene,
  ): Promise<ReadonlyMap<string, JsonValue>> {
    const { property } = this.aggregate;
    const values = new Map<string, JsonValue>();
    for (const id of ids) {
      const step = this.#steps.get(id);
      if (step === undefined) continue;
      const value = exactValue(addExact(exactOf(current(id)), step), property.kind);
      if (value === null) throw tooLarge(this.aggregate);
      values.set(id, value);
    }
    return values;
  }

  #add({ ids, value }: Part, times: number): void {
    const exact = value === true ? ONE : exactOf(value);
    for (const id of ids) this.#steps.set(id, addExact(this.#steps.get(id) ?? ZERO, exact, times));
  }
}

const ONE: Exact = Object.freeze({ digits: 1n, scale: 0 });

function tooLarge({ type, property }: Aggregate): MethodError {
  return new MethodError(
    'invalidArguments',
    `The call would make ${type.name}.${property.name} of an object larger than it can be.`,
  );
}

/** A value, and how many of the objects that the tally was told of have it. */
interface Held {
  readonly value: JsonValue;
  before: number;
  after: number;
}

/** The number of different values. */
class DistinctTally implements Tally {
  readonly aggregate: Aggregate;
  /** By id, then by the text of the value. */
  readonly #held = new Map<string, Map<string, Held>>();

  constructor(aggregate: Aggregate) {
    this.aggregate = aggregate;
  }

  get ids(): readonly string[] {
    return [...this.#held].flatMap(([id, held]) => ([...held.values()].some(isMoved) ? [id] : []));
  }

  note({ before, after }: Step): void {
    this.#add(partIn(this.aggregate, before), 'before');
    this.#add(partIn(this.aggregate, after), 'after');
  }

  async values(
    ids: readonly string[],
    { snapshot, told, current }: TallyScene,
  ): Promise<ReadonlyMap<string, JsonValue>> {
    const moved = ids.flatMap((id) =>
      [...(this.#held.get(id)?.values() ?? [])]
        .filter(isMoved)
        .map(({ value, after }) => ({ id, value, step: after > 0 ? 1 : -1 })),
    );
    const elsewhere = await snapshot.heldByOthers(this.aggregate, moved, told);
    const values = new Map<string, JsonValue>();
    for (const [at, { id, step }] of moved.entries()) {
      if (elsewhere.has(at)) continue;
      values.set(id, Number(values.get(id) ?? current(id) ?? 0) + step);
    }
    return values;
  }

  #add({ ids, value }: Part, when: 'before' | 'after'): void {
    const key = JSON.stringify(value);
    for (const id of ids) {
      const ofId = this.#held.get(id) ?? new Map<string, Held>();
      this.#held.set(id, ofId);
      const held = ofId.get(key) ?? { value, before: 0, after: 0 };
      ofId.set(key, held);
      held[when] += 1;
    }
  }
}

/** Returns whether the value has come or gone, as far as the tally was told. */
function isMoved({ before, after }: Held): boolean {
  return before > 0 !== after > 0;
}

/** The least or the greatest value of the objects that the tally was told of. */
interface Best {
  /** All that one had before. */
  readonly before: JsonValue[];
  after: JsonValue;
  isMoved: boolean;
}

/** The least or the greatest value. */
class ExtremeTally implements Tally {
  readonly aggregate: Aggregate;
  readonly #best = new Map<string, Best>();

  constructor(aggregate: Aggregate) {
    this.aggregate = aggregate;
  }

  get ids(): readonly string[] {
    return [...this.#best].flatMap(([id, { isMoved }]) => (isMoved ? [id] : []));
  }

  note({ before, after }: Step): void {
    const old = partIn(this.aggregate, before);
    const now = partIn(this.aggregate, after);
    const isSame = old.value === now.value;
    const [was, is] = [new Set(old.ids), new Set(now.ids)];
    for (const id of old.ids) {
      const best = this.#of(id);
      best.before.push(old.value);
      best.isMoved ||= !isSame || !is.has(id);
    }
    for (const id of now.ids) {
      const best = this.#of(id);
      best.after = betterOf(this.aggregate, best.after, now.value);
      best.isMoved ||= !isSame || !was.has(id);
    }
  }

  async values(
    ids: readonly string[],
    { snapshot, told, current }: TallyScene,
  ): Promise<ReadonlyMap<string, JsonValue>> {
    const values = new Map<string, JsonValue>();
    const lost: string[] = [];
    for (const id of ids) {
      const { before, after } = this.#of(id);
      const now = current(id);
      if (betterOf(this.aggregate, after, now) === after) values.set(id, after);
      else if (before.includes(now)) lost.push(id);
    }
    const others = await snapshot.aggregate(this.aggregate, lost, told);
    for (const id of lost)
      values.set(id, betterOf(this.aggregate, this.#of(id).after, others.get(id) ?? null));
    return values;
  }

  #of(id: string): Best {
    const best = this.#best.get(id) ?? { before: [], after: null, isMoved: false };
    this.#best.set(id, best);
    return best;
  }
}
