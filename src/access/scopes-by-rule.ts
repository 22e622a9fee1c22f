import type { AccessRule, AccessSubject } from '../capability/access-rules.js';
import { meetsConditions } from '../capability/rule-conditions.js';
import { EVERYONE, OWNER, principalScope, roleScope, shareScope } from '../capability/scopes.js';
import { isJsonObject, type JsonValue } from '../protocol/json.js';
import type { StoredObject } from '../store/port.js';

/** The operations that rules allow; an update is judged for each property that it changes. */
export type Operation = 'read' | 'create' | 'destroy' | 'leave' | { readonly update: string };

/** An object of a type, as rules look at it. */
export interface ObjectOfType {
  readonly type: string;
  readonly object: StoredObject;
}

/** Returns the scopes by which users see an object of a type, for rules that follow it. */
export type ScopesOfParent = (type: string, id: string) => readonly string[];

/**
 * Returns the scopes that allow an operation with an object, each once: whoever has one of them may
 * do it.
 */
export function scopesFor(
  rules: readonly AccessRule[],
  operation: Operation,
  { type, object }: ObjectOfType,
  scopesOfParent: ScopesOfParent,
): readonly string[] {
  const scopes = new Set<string>();
  for (const rule of rulesFor(rules, operation)) {
    if (!meetsConditions(rule.where ?? [], object)) continue;
    for (const scope of scopesOf(rule.who, { type, object }, scopesOfParent)) scopes.add(scope);
  }
  return [...scopes].sort();
}

/** Returns the scopes of those who may read an object. */
export function scopesOfReaders(
  rules: readonly AccessRule[],
  object: ObjectOfType,
): readonly string[] {
  return scopesFor(rules, 'read', object, () => {
    throw new Error('The rules of another type decide: the caller has to know what they give.');
  });
}

/** Returns the rules that allow an operation with some objects. */
export function rulesFor(
  rules: readonly AccessRule[],
  operation: Operation,
): readonly AccessRule[] {
  return rules.filter((rule) => {
    if (typeof operation === 'string') return rule[operation] === true;
    const { update } = rule;
    return update === true || update?.includes(operation.update) === true;
  });
}

function scopesOf(
  who: AccessSubject,
  { type, object }: ObjectOfType,
  scopesOfParent: ScopesOfParent,
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
      return [shareScope(type, object.id, who.right)];
    case 'parent':
      return idsIn(object[who.reference]).map((id) => shareScope(who.type, id, who.right));
    case 'viewer':
      return idsIn(object[who.reference]).flatMap((id) => scopesOfParent(who.type, id));
  }
}

/** Returns the ids that a value holds: a text, the names of a set, or none. */
function idsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return value !== undefined && isJsonObject(value) ? Object.keys(value) : [];
}
