import type { AccessRule, AccessSubject } from '../capability/access-rules.js';
import { meetsConditions } from '../capability/rule-conditions.js';
import {
  EVERYONE,
  OWNER,
  principalScope,
  roleScope,
  type SharedObject,
  sharedObject,
  shareScope,
} from '../capability/scopes.js';
import { isJsonObject, type JsonValue } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';

/** The operations that rules allow; an update is judged for each property that it changes. */
export type Operation =
  | 'read'
  | 'create'
  | 'destroy'
  | 'share'
  | 'leave'
  /** Of members that the type keeps without declaring them. */
  | 'undeclared'
  | { readonly update: string };

/** An object of a type, as rules look at it. */
export interface ObjectOfType {
  /** Its table. */
  readonly type: string;
  readonly object: StoredObject;
}

/** The access that an object passes on to those that follow it. */
export interface Inherited {
  /** The scopes of those who see it. */
  readonly readers: readonly string[];
  /** The shares that hold for it: its own, and those of objects that it follows. */
  readonly shares: readonly InheritedShare[];
}

export interface InheritedShare {
  readonly object: SharedObject;
  /** The right alone that holds; null for all. */
  readonly right: string | null;
}

/** Returns whether a share holds for a right. */
export function isOfRight(share: InheritedShare, right: string): boolean {
  return share.right === null || share.right === right;
}

/** Knows the objects that others follow. `name`: of their type. */
export interface Ancestors {
  inherited(name: string, id: string): Inherited;
}

/**
 * Returns the scopes that allow an operation with an object, each once: whoever has one of them may
 * do it.
 */
export function scopesFor(
  rules: readonly AccessRule[],
  operation: Operation,
  { type, object }: ObjectOfType,
  ancestors: Ancestors,
): readonly string[] {
  const scopes = new Set<string>();
  for (const rule of rulesFor(rules, operation)) {
    if (!meetsConditions(rule.where ?? [], object)) continue;
    for (const scope of scopesOf(rule.who, { type, object }, ancestors)) scopes.add(scope);
  }
  return [...scopes].sort();
}

/** Returns the rules that allow an operation with some objects. */
export function rulesFor(
  rules: readonly AccessRule[],
  operation: Operation,
): readonly AccessRule[] {
  return rules.filter((rule) => {
    const { update } = rule;
    if (operation === 'undeclared') return update === true || rule.undeclared === true;
    if (typeof operation === 'string') return rule[operation] === true;
    return update === true || update?.includes(operation.update) === true;
  });
}

function scopesOf(
  who: AccessSubject,
  { type, object }: ObjectOfType,
  ancestors: Ancestors,
): readonly string[] {
  switch (who.kind) {
    case 'owner':
      return [OWNER];
    case 'everyone':
      return [EVERYONE];
    case 'role':
      return [roleScope(who.role)];
    case 'property':
      return idsIn(object[who.property]).map(principalScope);
    case 'share':
      return [shareScope(sharedObject(type, object.id), who.right)];
    case 'parent': {
      const { right } = who;
      return idsIn(object[who.reference]).flatMap((id) => {
        const { readers, shares } = ancestors.inherited(who.type, id);
        if (right === undefined) return readers;
        const held = shares.filter((share) => isOfRight(share, right));
        return held.map((share) => shareScope(share.object, right));
      });
    }
  }
}

/** Returns the ids that a value holds: a text, the names of a set, or none. */
export function idsIn(value: JsonValue | undefined): readonly string[] {
  const texts = value !== undefined && isJsonObject(value) ? Object.keys(value) : [value ?? null];
  return texts.filter((text) => typeof text === 'string' && ID.test(text)) as readonly string[];
}

/** RFC 8620 1.2. */
const ID = /^[A-Za-z0-9_-]{1,255}$/;
