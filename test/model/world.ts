import type { ModelType } from '../../src/descriptor/model.js';
import type { JsonMap } from '../support/json.js';
import {
  type Change,
  defaults,
  different,
  named,
  type Shelf,
  type Stored,
  type Types,
  typeOf,
} from './account.js';
import { agree, agreeOn } from './agree.js';
import type { Contents, Settled } from './judge-call.js';
import { linksOf, mapPlaces } from './places.js';
import { readDate } from './schema.js';

/** The things that all accounts of a server share with one request. */
export interface Scope {
  readonly types: Types;
  /** Creation ids of this request so far (3.3). */
  readonly createdIds: Map<string, string>;
  /** Told of each id that the server gave. */
  newId(id: string): void;
}

/** The source that a copy reads. */
export type Source = Pick<Account, 'id' | 'shelf'>;

/** A JMAP account: objects, states and change records of all types. */
export class Account {
  readonly id: string;
  readonly #shelves = new Map<string, Shelf>();
  /** The last `updated` of each object. */
  readonly #latest = new Map<string, number>();

  /** An account without objects whose types have had so many changes already. */
  constructor(id: string, types: Types, states: ReadonlyMap<string, number>) {
    this.id = id;
    for (const [name, type] of types) {
      const start = states.get(name) ?? 0;
      const single: JsonMap = { [named(type, 'id')]: 'singleton', ...defaults(type) };
      const objects = new Map<string, Stored>(type.singleton ? [['singleton', single]] : []);
      this.#shelves.set(name, { state: start, objects, steps: [], start });
    }
  }

  shelf(type: string): Shelf {
    const shelf = this.#shelves.get(type);
    if (shelf === undefined) throw new Error(`The model has no ${type}.`);
    return shelf;
  }

  /** Returns a function that puts everything back as it is now. */
  mark(): () => void {
    const latest = new Map(this.#latest);
    const kept = [...this.#shelves.values()].map((shelf) => {
      const { state, objects, steps } = shelf;
      return { shelf, state, objects, count: steps.length };
    });
    return () => {
      for (const { shelf, state, objects, count } of kept) {
        Object.assign(shelf, { state, objects });
        shelf.steps.length = count;
      }
      this.#latest.clear();
      for (const [id, time] of latest) this.#latest.set(id, time);
    };
  }

  /** Objects and states of this moment, whatever comes. */
  still(): Source {
    const shelves = new Map([...this.#shelves].map(([name, shelf]) => [name, { ...shelf }]));
    return { id: this.id, shelf: (type) => shelves.get(type) ?? this.shelf(type) };
  }

  contents(): Contents {
    return new Map([...this.#shelves].map(([name, { objects }]) => [name, objects]));
  }

  /** The objects after a call: each one that came, changed or went has a record. */
  take({ types }: Scope, { proposed, after }: Settled, ids: (id: string) => string): void {
    for (const [name, shelf] of this.#shelves) {
      const type = typeOf(types, name);
      const next = new Map<string, Stored>();
      for (const [id, object] of after.get(name) ?? [])
        next.set(ids(id), rebound(type, object, ids(id), ids));
      const fleeting = [...(proposed.get(name)?.keys() ?? [])].filter(
        (id) => !shelf.objects.has(id) && after.get(name)?.has(id) !== true,
      );
      this.#put(type, shelf, next, fleeting.map(ids));
    }
  }

  /** `fleeting`: created and destroyed in one call, which is two records. */
  #put(
    type: ModelType,
    shelf: Shelf,
    next: Map<string, Stored>,
    fleeting: readonly string[],
  ): void {
    const changes = fleeting.flatMap((id): Change[] => [
      { id, kind: 'created' },
      { id, kind: 'destroyed' },
    ]);
    for (const [id, object] of next) {
      const old = shelf.objects.get(id);
      const properties = old === undefined ? [] : different(type, old, object);
      if (old !== undefined && properties.length === 0) {
        next.set(id, old);
        continue;
      }
      changes.push(
        old === undefined ? { id, kind: 'created' } : { id, kind: 'updated', properties },
      );
      // When it was is the server's to say.
      const { [named(type, 'updated')]: _, ...rest } = object;
      next.set(id, rest);
    }
    for (const id of shelf.objects.keys())
      if (!next.has(id)) changes.push({ id, kind: 'destroyed' });
    this.record(type.name, changes);
    shelf.objects = next;
  }

  record(type: string, changes: readonly Change[]): void {
    const shelf = this.shelf(type);
    if (changes.length === 0) return;
    const from = shelf.state;
    shelf.state += changes.length;
    shelf.steps.push({ from, to: shelf.state, changes });
  }

  /**
   * Takes the values of an object that the model can't know: its times. Once told, they stay.
   */
  learn(_: Scope, type: ModelType, id: string, told: JsonMap): void {
    const shelf = this.shelf(type.name);
    const object = shelf.objects.get(id);
    if (object === undefined) return;
    const known: JsonMap = { ...object };
    for (const [name, value] of Object.entries(told)) {
      if (known[name] === undefined) known[name] = value;
      agree(`${type.name} ${id} ${name}`, value, known[name]);
    }
    this.#neverBack(type, id, known);
    shelf.objects = new Map(shelf.objects).set(id, known);
  }

  /**
   * Where `updated` was told: of what a cascade changed a /get of other properties leaves it
   * unknown.
   */
  #neverBack(type: ModelType, id: string, known: JsonMap): void {
    const updated = known[named(type, 'updated')];
    if (updated === undefined) return;
    const latest = readDate(String(updated)) ?? 0;
    const before = this.#latest.get(id) ?? readDate(String(known[named(type, 'created')])) ?? 0;
    agreeOn('updated never steps back', latest >= before, { id, latest, before });
    this.#latest.set(id, latest);
  }
}

/** An object with the ids that the server gave in place of those of the call. */
function rebound(type: ModelType, object: Stored, id: string, ids: (id: string) => string): Stored {
  const changed: JsonMap = { ...object, [named(type, 'id')]: id };
  for (const { name, place } of linksOf(type)) {
    const value = changed[name];
    if (value !== undefined) changed[name] = mapPlaces([place], value, ids);
  }
  return changed;
}
