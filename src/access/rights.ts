import { parentRulesOf } from '../capability/access-rules.js';
import type { DataTypeDefinition, PropertyDefinition } from '../capability/definition.js';
import { meetsConditions } from '../capability/rule-conditions.js';
import {
  OWNER,
  rightMark,
  sharedObject,
  sharerMark,
  shareScope,
  unmarked,
} from '../capability/scopes.js';
import { declaredObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';
import type { HeldScopes } from './held-scopes.js';
import { type Ancestors, idsIn, isOfRight, scopesFor } from './scopes-by-rule.js';

/** The rights of one user at one object (RFC 9670 4). */
export interface Rights {
  /** The rights that the user has. */
  readonly names: ReadonlySet<string>;
  /** The user may change with whom the object is shared, and so sees it. */
  readonly mayShare: boolean;
}

/** Returns the rights of a user who may do everything. */
export function allRights({ share }: Pick<DataTypeDefinition, 'share'>): Rights {
  return { names: new Set(share?.rights), mayShare: true };
}

/**
 * Returns the marked scopes of an object of a shared type: users with the scope behind the mark
 * have a right at the object, or may share it. They are stored beside the scopes of its readers.
 */
export function markedScopes(
  { share, access: rules = [], table }: DataTypeDefinition,
  object: StoredObject,
  ancestors: Ancestors,
): readonly string[] {
  if (share === undefined) return NONE;
  const marked = new Set<string>();
  const own = sharedObject(table, object.id);
  for (const right of share.rights) marked.add(rightMark(shareScope(own, right)));
  for (const { who, where = [] } of parentRulesOf(rules)) {
    const { right, reference, type } = who;
    if (right === undefined || !share.rights.includes(right)) continue;
    if (!meetsConditions(where, object)) continue;
    for (const id of idsIn(object[reference])) {
      const shares = ancestors.inherited(type, id).shares.filter((one) => isOfRight(one, right));
      for (const one of shares) marked.add(rightMark(shareScope(one.object, right)));
    }
  }
  for (const scope of scopesFor(rules, 'share', { type: table, object }, ancestors))
    marked.add(sharerMark(scope));
  return [...marked];
}

const NONE: readonly string[] = Object.freeze([]);

/** Returns the rights at an object that a user has by these scopes. */
export function rightsHeld(
  type: DataTypeDefinition,
  object: StoredObject,
  held: HeldScopes,
  ancestors: Ancestors,
): Rights {
  const marks = markedScopes(type, object, ancestors);
  const own = marks.filter((mark) => held.meets([unmarked(mark).scope]));
  return rightsOfMarks(type, own, held.meets([OWNER]));
}

/**
 * Returns the rights of a user who has the scopes behind these marks. `isOwner`: the user has the
 * owner's scope. It brings all rights where the rules let owners change and destroy all objects.
 */
export function rightsOfMarks(
  type: DataTypeDefinition,
  marks: readonly string[],
  isOwner: boolean,
): Rights {
  if (isOwner && isOwnedWhole(type)) return allRights(type);
  const names = new Set<string>();
  let mayShare = false;
  for (const mark of marks) {
    const { right } = unmarked(mark);
    if (right === null) mayShare = true;
    else names.add(right);
  }
  return { names, mayShare };
}

function isOwnedWhole({ access = [] }: DataTypeDefinition): boolean {
  return access.some(
    ({ who, where = [], update, destroy, share }) =>
      who.kind === 'owner' && where.length === 0 && update === true && destroy && share,
  );
}

/** Returns the value of `myRights`. */
export function myRightsOf(
  { share }: Pick<DataTypeDefinition, 'share'>,
  { names }: Rights,
): JsonObject {
  const rights = declaredObject();
  for (const right of share?.rights ?? []) rights[right] = names.has(right);
  return rights;
}

/**
 * Returns an object as a user with these rights reads it. `myRights` comes to what is stored, if it
 * is one of the properties that the user reads.
 */
export function withRights(
  type: DataTypeDefinition,
  object: StoredObject,
  rights: Rights,
  properties: readonly PropertyDefinition[] = type.properties,
): StoredObject {
  const seen: Record<string, JsonValue> = { ...object };
  for (const { name, role } of properties) {
    if (role === 'myRights') seen[name] = myRightsOf(type, rights);
    if (role === 'shareWith' && !rights.mayShare && Object.hasOwn(seen, name)) seen[name] = null;
  }
  return seen as StoredObject;
}
