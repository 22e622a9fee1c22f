import {
  type AccessRule,
  isShareable,
  type ParentSubject,
  parentRulesOf,
  propertiesOfRules,
} from '../capability/access-rules.js';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { meetsConditions } from '../capability/rule-conditions.js';
import { sharedObject } from '../capability/scopes.js';
import { MethodError } from '../protocol/errors.js';
import type { StoredObject } from '../store/port.js';
import {
  type Ancestors,
  type Inherited,
  type InheritedShare,
  idsIn,
  isOfRight,
  scopesFor,
} from './scopes-by-rule.js';

/** The types of a project by name. */
export type ObjectTypes = ReadonlyMap<string, DataTypeDefinition>;

/** Returns objects by their ids, with these properties at least. Leaves out those that are gone. */
export type ReadObjects = (
  type: DataTypeDefinition,
  ids: readonly string[],
  properties: readonly PropertyDefinition[],
) => Promise<readonly StoredObject[]>;

/**
 * The objects that others follow by their access rules, as they are at one moment. It reads each
 * once.
 */
export class Inheritance implements Ancestors {
  readonly #types: ObjectTypes;
  readonly #read: ReadObjects;
  /** Null for those that are not there. */
  #objects = new Map<string, StoredObject | null>();
  /** Objects that stand in the place of others. */
  readonly #own = new Map<string, StoredObject>();
  readonly #inherited = new Map<string, Inherited>();
  /** Objects that lead from one to the other, whose access is being found. */
  #depth = 0;

  constructor(types: ObjectTypes, read: ReadObjects) {
    this.#types = types;
    this.#read = read;
  }

  /** Returns the same moment, but with these objects of a type as they are here. */
  with({ name }: DataTypeDefinition, objects: readonly StoredObject[]): Inheritance {
    const other = new Inheritance(this.#types, this.#read);
    // Either of them knows what the other one reads.
    other.#objects = this.#objects;
    for (const object of objects) other.#own.set(keyOf(name, object.id), object);
    return other;
  }

  /** Returns another moment: these objects have changed, and are read again. */
  without(changed: readonly { readonly type: string; readonly id: string }[]): Inheritance {
    const other = new Inheritance(this.#types, this.#read);
    other.#objects = new Map(this.#objects);
    for (const { type, id } of changed) other.#objects.delete(keyOf(type, id));
    return other;
  }

  /**
   * Reads the objects that these follow, and so on. It takes a statement for each type and step,
   * and none where the rules look at references alone. Throws `requestTooLarge` where they lead
   * further than MAX_DEPTH.
   */
  async load(type: DataTypeDefinition, objects: Iterable<StoredObject>): Promise<void> {
    if (!(await this.reach(type, objects))) throw tooDeep();
  }

  /** Does as `load`, but reads no more than MAX_DEPTH steps: returns whether that is all. */
  async reach(type: DataTypeDefinition, objects: Iterable<StoredObject>): Promise<boolean> {
    const seen = new Set<string>();
    let step = this.#next(type, objects, seen);
    for (let depth = 1; step.size > 0; depth += 1) {
      if (depth > MAX_DEPTH) return false;
      const next: Wanted = new Map();
      for (const [name, ids] of step) {
        const parent = typeOf(this.#types, name);
        await this.#readUnknown(parent, ids);
        const found = [...ids].flatMap((id) => this.#object(name, id) ?? []);
        for (const [other, more] of this.#next(parent, found, seen)) add(next, other, more);
      }
      step = next;
    }
    return true;
  }

  async #readUnknown(type: DataTypeDefinition, ids: ReadonlySet<string>): Promise<void> {
    const unknown = [...ids].filter((id) => this.#object(type.name, id) === undefined);
    if (unknown.length === 0) return;
    const found = await this.#read(type, unknown, propertiesJudged(type));
    for (const id of unknown) this.#objects.set(keyOf(type.name, id), null);
    for (const object of found) this.#objects.set(keyOf(type.name, object.id), object);
  }

  /** Returns the ids, by type, that objects follow and that matter to their scopes. */
  #next(type: DataTypeDefinition, objects: Iterable<StoredObject>, seen: Set<string>): Wanted {
    const wanted: Wanted = new Map();
    const rules = parentRulesOf(type.access ?? []).filter(({ who }) => this.#isRead(who));
    if (rules.length === 0) return wanted;
    for (const object of objects) {
      for (const { who } of rules) {
        for (const id of idsIn(object[who.reference])) {
          const key = keyOf(who.type, id);
          if (seen.has(key)) continue;
          seen.add(key);
          add(wanted, who.type, [id]);
        }
      }
    }
    return wanted;
  }

  /** Of an object that follows none, a right is known by its id. */
  #isRead({ type, right }: ParentSubject): boolean {
    return right === undefined || parentRulesOf(rulesOf(this.#types, type)).length > 0;
  }

  /** Undefined for one that was not read. */
  #object(name: string, id: string): StoredObject | null | undefined {
    const key = keyOf(name, id);
    return this.#own.get(key) ?? this.#objects.get(key);
  }

  /** Returns the objects that an object follows itself: none for one that was not read. */
  parentsOf(name: string, id: string): readonly { readonly type: string; readonly id: string }[] {
    const object = this.#object(name, id) ?? null;
    if (object === null) return [];
    return parentRulesOf(rulesOf(this.#types, name)).flatMap(({ who: { type, reference } }) =>
      idsIn(object[reference]).map((one) => ({ type, id: one })),
    );
  }

  inherited(name: string, id: string): Inherited {
    const key = keyOf(name, id);
    let known = this.#inherited.get(key);
    if (known === undefined) {
      // The levels that were read may not be the longest way.
      if (this.#depth > MAX_DEPTH) throw tooDeep();
      // An object that follows itself gets nothing by that.
      this.#inherited.set(key, NOTHING);
      this.#depth += 1;
      try {
        known = this.#inherit(typeOf(this.#types, name), id);
      } finally {
        this.#depth -= 1;
        this.#inherited.delete(key);
      }
      this.#inherited.set(key, known);
    }
    return known;
  }

  #inherit(shared: DataTypeDefinition, id: string): Inherited {
    const { name, table, access: rules = [] } = shared;
    const object = this.#object(name, id) ?? null;
    const own = isShareable(shared) ? [{ object: sharedObject(table, id), right: null }] : [];
    if (object === null) return { readers: [], shares: own };
    const shares = new Map<string, InheritedShare>(own.map((share) => [share.object, share]));
    for (const { who, where = [] } of parentRulesOf(rules)) {
      const { right, type, reference } = who;
      if (right === undefined || !meetsConditions(where, object)) continue;
      const above = idsIn(object[reference]).flatMap((one) => this.inherited(type, one).shares);
      for (const share of above) {
        if (!isOfRight(share, right)) continue;
        shares.set(`${share.object} ${right}`, { object: share.object, right });
      }
    }
    const readers = scopesFor(rules, 'read', { type: table, object }, this);
    return { readers, shares: [...shares.values()] };
  }
}

/** Objects, one above the other, that an object may follow by access rules. */
export const MAX_DEPTH = 100;

function tooDeep(): MethodError {
  const why = `Objects follow one another by access rules more than ${MAX_DEPTH} levels deep.`;
  return new MethodError('requestTooLarge', `${why} Move the lower ones up.`);
}

const NOTHING: Inherited = { readers: [], shares: [] };

/** Ids by the name of a type. */
type Wanted = Map<string, Set<string>>;

function add(wanted: Wanted, name: string, ids: Iterable<string>): void {
  const known = wanted.get(name) ?? new Set();
  for (const id of ids) known.add(id);
  wanted.set(name, known);
}

/** Returns the properties that the access rules of a type look at. */
export function propertiesJudged({
  properties,
  access = [],
}: DataTypeDefinition): readonly PropertyDefinition[] {
  const names = propertiesOfRules(access);
  return properties.filter(({ name, role }) => role === 'id' || names.has(name));
}

function rulesOf(types: ObjectTypes, name: string): readonly AccessRule[] {
  return typeOf(types, name).access ?? [];
}

/** Returns the type that access rules name. */
export function typeOf(types: ObjectTypes, name: string): DataTypeDefinition {
  const type = types.get(name);
  if (type === undefined) throw new Error(`An access rule names the unknown type ${name}.`);
  return type;
}

function keyOf(name: string, id: string): string {
  return `${name} ${id}`;
}
