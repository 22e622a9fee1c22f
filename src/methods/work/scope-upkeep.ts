import {
  Inheritance,
  type ObjectTypes,
  propertiesJudged,
  type ReadObjects,
  typeOf,
} from '../../access/inheritance.js';
import { markedScopes } from '../../access/rights.js';
import { scopesFor } from '../../access/scopes-by-rule.js';
import type { ViewRules } from '../../access/views.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { jsonEqual } from '../../protocol/equal.js';
import { MethodError } from '../../protocol/errors.js';
import type { Slices } from '../../runtime/slices.js';
import type {
  NewScopes,
  ObjectIds,
  ReferenceName,
  ReferenceRecord,
  StoredObject,
  Transaction,
} from '../../store/port.js';

/** Knows by which references the access to an object follows another one. */
export interface AccessRelations {
  readonly types: ObjectTypes;
  readonly inheriting: readonly ReferenceName[];
  /** Of each type that others follow: the properties that its access rules read. */
  readonly followed: ReadonlyMap<string, readonly string[]>;
  /** By the name of a type: the tables of the objects whose shares count for it. */
  readonly sharedTables: ViewRules['sharedTables'];
  /** Objects whose access may change by one call, because others change. */
  readonly maximum: number;
  /** Rows of scopes that one call may write. */
  readonly maximumRows: number;
}

/** Objects whose scopes are read at once: each may have many. */
const OBJECTS_AT_ONCE = 200;

export interface ScopeScene {
  readonly transaction: Transaction;
  readonly relations: AccessRelations;
  readonly slices: Slices;
  /** Reads objects as the transaction leaves them. */
  readonly current: ReadObjects;
}

/** Finds the scopes of objects in a transaction, also of those that follow a change. */
export class ScopeUpkeep {
  readonly #transaction: Transaction;
  readonly #relations: AccessRelations;
  readonly #slices: Slices;
  #inheritance: Inheritance | null = null;
  /** Objects that have changed since somebody asked for it. */
  #changed: { readonly type: string; readonly id: string }[] = [];
  readonly #current: ReadObjects;
  /** Rows of scopes that were admitted. */
  #rows = 0;

  constructor({ transaction, relations, slices, current }: ScopeScene) {
    this.#transaction = transaction;
    this.#relations = relations;
    this.#slices = slices;
    this.#current = current;
  }

  /** The objects that others follow, as the transaction leaves them. */
  get inheritance(): Inheritance {
    const known = this.#inheritance ?? new Inheritance(this.#relations.types, this.#current);
    this.#inheritance = this.#changed.length > 0 ? known.without(this.#changed) : known;
    this.#changed = [];
    return this.#inheritance;
  }

  /** Notes that an object changes. */
  noteChange({ name: type }: DataTypeDefinition, id: string): void {
    if (this.#relations.followed.has(type)) this.#changed.push({ type, id });
  }

  /** Returns whether the access to other objects may change by a change of this one. */
  isFollowed(
    type: DataTypeDefinition,
    before: StoredObject | null,
    after: StoredObject | null,
  ): boolean {
    const names = this.#relations.followed.get(type.name);
    if (before === null || after === null || names === undefined) return false;
    return names.some((name) => !jsonEqual(before[name] ?? null, after[name] ?? null));
  }

  /**
   * Returns the ids of the objects that follow these, and of those that follow them. Throws
   * `requestTooLarge`.
   */
  async followersOf(
    roots: readonly ObjectIds[],
  ): Promise<ReadonlyMap<DataTypeDefinition, readonly string[]>> {
    const { types, maximum } = this.#relations;
    const followers = new Map<string, Set<string>>();
    let count = 0;
    for (const { fromType, fromId } of await this.linksTo(roots)) {
      const ids = followers.get(fromType) ?? new Set();
      followers.set(fromType, ids);
      count += ids.has(fromId) ? 0 : 1;
      ids.add(fromId);
    }
    if (count > maximum) throw tooMany(`${maximum} objects`);
    return new Map([...followers].map(([name, ids]) => [typeOf(types, name), [...ids]]));
  }

  /**
   * Returns the references by which objects follow these, and others follow them. Throws
   * `requestTooLarge`.
   */
  async linksTo(roots: readonly ObjectIds[]): Promise<readonly ReferenceRecord[]> {
    const { inheriting, maximum } = this.#relations;
    const limit = maximum * FOLLOWED_LINKS;
    const links = await this.#transaction.followers(roots, inheriting, limit);
    if (links.length > limit) throw tooMany(`what ${limit} references lead to`);
    return links;
  }

  /** Returns the scopes that each object is to have, by its id, in order. */
  async scopesToHave(
    type: DataTypeDefinition,
    objects: readonly StoredObject[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { access = [], table } = type;
    const { inheritance } = this;
    await inheritance.load(type, objects);
    const scopesOf = (object: StoredObject) => {
      const readers = scopesFor(access, 'read', { type: table, object }, inheritance);
      const marked = markedScopes(type, object, inheritance);
      return marked.length === 0 ? readers : [...readers, ...marked].sort();
    };
    return new Map(objects.map((object) => [object.id, scopesOf(object)]));
  }

  /** Returns the objects whose scopes are others than the stored ones. Throws as `admit`. */
  async movedOf(
    type: DataTypeDefinition,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, NewScopes>> {
    const moved = new Map<string, NewScopes>();
    for await (const some of this.inParts(ids)) {
      const objects = await this.#current(type, some, propertiesJudged(type));
      const scopes = await this.scopesToHave(type, objects);
      const stored = await this.#transaction.scopesOf(type, some);
      for (const [id, after] of scopes) {
        const before = stored.get(id) ?? [];
        if (isSameList(before, after)) continue;
        this.admit({ after, before });
        moved.set(id, { after, before });
      }
    }
    return moved;
  }

  /** Returns objects in parts, whose scopes may be read at once. Others have turns in between. */
  async *inParts<T>(objects: readonly T[]): AsyncGenerator<readonly T[]> {
    for (let at = 0; at < objects.length; at += OBJECTS_AT_ONCE) {
      if (this.#slices.isOver()) await this.#slices.next();
      yield objects.slice(at, at + OBJECTS_AT_ONCE);
    }
  }

  /**
   * Counts the rows that the scopes of an object take, those of before among them. Throws
   * `requestTooLarge` where the call would write too many.
   */
  admit(scopes: NewScopes): void {
    const { maximumRows } = this.#relations;
    this.#rows += countScopes(scopes);
    if (this.#rows <= maximumRows) return;
    const limit = `The call would write more than ${maximumRows} rows of who sees what`;
    const why = `${limit}: each object takes one for each scope that it has or had.`;
    throw new MethodError('requestTooLarge', `${why} Change fewer objects at once.`);
  }
}

/** Returns the number of scopes that an object has and had. */
export function countScopes({ after, before }: NewScopes): number {
  return after.length + (before?.length ?? 0);
}

/** Compares sorted lists. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** References that are read for each object that follows: it may follow several. */
const FOLLOWED_LINKS = 10;

function tooMany(what: string): MethodError {
  return new MethodError('requestTooLarge', `The call would change who sees more than ${what}.`);
}
