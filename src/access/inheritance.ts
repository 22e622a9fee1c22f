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
export type Types = ReadonlyMap<string, DataTypeDefinition>;

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
  readonly #types: Types;
  readonly #read: ReadObjects;
  /** Null for those that are not there. */
  readonly #objects = new Map<string, StoredObject | null>();
  readonly #inherited = new Map<string, Inherited>();

  constructor(types: Types, read: ReadObjects) {
    this.#types = types;
    this.#read = read;
  }

  /** Returns the same moment, but with these objects of a type as they are here. */
  with({ name }: DataTypeDefinition, objects: readonly StoredObject[]): Inheritance {
    const other = new Inheritance(this.#types, this.#read);
    for (const [key, object] of this.#objects) other.#objects.set(key, object);
    for (const object of objects) other.#objects.set(keyOf(name, object.id), object);
    return other;
  }

  /**
   * Reads the objects that these follow, and so on. It takes a statement for each type and step,
   * and none where the rules look at references alone.
   */
  async load(type: DataTypeDefinition, objects: Iterable<StoredObject>): Promise<void> {
    let wanted = this.#unknown(type, objects);
    while (wanted.size > 0) {
      const next: Wanted = new Map();
      for (const [name, ids] of wanted) {
        const parent = typeOf(this.#types, name);
        const found = await this.#read(parent, [...ids], propertiesJudged(parent));
        for (const id of ids) this.#objects.set(keyOf(name, id), null);
        for (const object of found) this.#objects.set(keyOf(name, object.id), object);
        for (const [other, more] of this.#unknown(parent, found)) add(next, other, more);
      }
      wanted = next;
    }
  }

  /** Returns the ids, by type, that have to be read to know the scopes of objects. */
  #unknown(type: DataTypeDefinition, objects: Iterable<StoredObject>): Wanted {
    const wanted: Wanted = new Map();
    const rules = parentRulesOf(type.access ?? []).filter(({ who }) => this.#isRead(who));
    if (rules.length === 0) return wanted;
    for (const object of objects) {
      for (const { who } of rules) {
        const ids = idsIn(object[who.reference]);
        const unknown = ids.filter((id) => !this.#objects.has(keyOf(who.type, id)));
        if (unknown.length > 0) add(wanted, who.type, unknown);
      }
    }
    return wanted;
  }

  /** Of an object that follows none, a right is known by its id. */
  #isRead({ type, right }: ParentSubject): boolean {
    return right === undefined || parentRulesOf(rulesOf(this.#types, type)).length > 0;
  }

  inherited(name: string, id: string): Inherited {
    const key = keyOf(name, id);
    let known = this.#inherited.get(key);
    if (known === undefined) {
      // An object that follows itself gets nothing by that.
      this.#inherited.set(key, NOTHING);
      known = this.#inherit(typeOf(this.#types, name), id);
      this.#inherited.set(key, known);
    }
    return known;
  }

  #inherit(shared: DataTypeDefinition, id: string): Inherited {
    const { name, table, access: rules = [] } = shared;
    const object = this.#objects.get(keyOf(name, id)) ?? null;
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

function rulesOf(types: Types, name: string): readonly AccessRule[] {
  return typeOf(types, name).access ?? [];
}

/** Returns the type that access rules name. */
export function typeOf(types: Types, name: string): DataTypeDefinition {
  const type = types.get(name);
  if (type === undefined) throw new Error(`An access rule names the unknown type ${name}.`);
  return type;
}

function keyOf(name: string, id: string): string {
  return `${name} ${id}`;
}
