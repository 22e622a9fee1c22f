import {
  Inheritance,
  propertiesJudged,
  type ReadObjects,
  type Types,
  typeOf,
} from '../../access/inheritance.js';
import { markedScopes } from '../../access/rights.js';
import { scopesFor } from '../../access/scopes-by-rule.js';
import type { SharedTables } from '../../access/views.js';
import { propertiesOfRules } from '../../capability/access-rules.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { jsonEqual } from '../../protocol/equal.js';
import { MethodError } from '../../protocol/errors.js';
import type {
  NewScopes,
  ObjectIds,
  ReferenceName,
  StoredObject,
  Transaction,
} from '../../store/port.js';

/** Knows by which references the access to an object follows another one. */
export interface AccessRelations {
  readonly types: Types;
  readonly inheriting: readonly ReferenceName[];
  /** By the name of a type: the tables of the objects whose shares count for it. */
  readonly sharedTables: SharedTables;
  /** Objects whose access may change by one call, because others change. */
  readonly maximum: number;
}

/** Finds the scopes of objects in a transaction, also of those that follow a change. */
export class ScopeUpkeep {
  readonly #transaction: Transaction;
  readonly #relations: AccessRelations;
  /** The names of types that others follow. */
  readonly #followed: ReadonlySet<string>;
  #inheritance: Inheritance | null = null;
  readonly #current: ReadObjects;

  /** `current`: reads objects as the transaction leaves them. */
  constructor(transaction: Transaction, relations: AccessRelations, current: ReadObjects) {
    this.#transaction = transaction;
    this.#relations = relations;
    this.#current = current;
    this.#followed = new Set(typesFollowed(relations));
  }

  /** The objects that others follow, as the transaction leaves them. */
  get inheritance(): Inheritance {
    this.#inheritance ??= new Inheritance(this.#relations.types, this.#current);
    return this.#inheritance;
  }

  /** Notes that an object of the type changes. */
  noteChange({ name }: DataTypeDefinition): void {
    if (this.#followed.has(name)) this.#inheritance = null;
  }

  /** Returns whether the access to other objects may change by a change of this one. */
  isFollowed(
    type: DataTypeDefinition,
    before: StoredObject | null,
    after: StoredObject | null,
  ): boolean {
    if (before === null || after === null || !this.#followed.has(type.name)) return false;
    const names = [...propertiesOfRules(type.access ?? [])];
    return names.some((name) => !jsonEqual(before[name] ?? null, after[name] ?? null));
  }

  /**
   * Returns the ids of the objects that follow these, and of those that follow them. Throws
   * `requestTooLarge`.
   */
  async followersOf(
    roots: readonly ObjectIds[],
  ): Promise<ReadonlyMap<DataTypeDefinition, readonly string[]>> {
    const { types, inheriting, maximum } = this.#relations;
    const limit = maximum * FOLLOWED_LINKS;
    const links = await this.#transaction.referrers(roots, inheriting, limit);
    const known = new Set(inheriting.map(({ type, reference }) => `${type} ${reference}`));
    const followers = new Map<string, Set<string>>();
    let count = 0;
    for (const { fromType, fromId, reference } of links) {
      if (!known.has(`${fromType} ${reference}`)) continue;
      const ids = followers.get(fromType) ?? new Set();
      followers.set(fromType, ids);
      count += ids.has(fromId) ? 0 : 1;
      ids.add(fromId);
    }
    if (count > maximum || links.length > limit) {
      const why = `The call would change who sees more than ${maximum} objects.`;
      throw new MethodError('requestTooLarge', why);
    }
    return new Map([...followers].map(([name, ids]) => [typeOf(types, name), [...ids]]));
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

  /** Returns the objects whose scopes are others than the stored ones. */
  async movedOf(
    type: DataTypeDefinition,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, NewScopes>> {
    const objects = await this.#current(type, ids, propertiesJudged(type));
    const scopes = await this.scopesToHave(type, objects);
    const stored = await this.#transaction.scopesOf(type, ids);
    const moved = new Map<string, NewScopes>();
    for (const [id, after] of scopes) {
      const before = stored.get(id) ?? [];
      if (!isSameList(before, after)) moved.set(id, { after, before });
    }
    return moved;
  }
}

/** Compares sorted lists. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Links that are read for each object that follows: it may have others. */
const FOLLOWED_LINKS = 10;

function typesFollowed({ types, inheriting }: AccessRelations): readonly string[] {
  const following = new Set(inheriting.map(({ type }) => type));
  const rules = [...following].flatMap((name) => types.get(name)?.access ?? []);
  return rules.flatMap(({ who }) => (who.kind === 'parent' ? who.type : []));
}
