import type { RuleCondition } from './type-rules.js';

/** The users that a rule is about. */
export type AccessSubject =
  /** The owner of the account, and users who may write in all of it. */
  | { readonly kind: 'owner' }
  /** All users who reach the account. */
  | { readonly kind: 'everyone' }
  | { readonly kind: 'role'; readonly role: string }
  /** The principals whose ids the property holds: one as a text, or several as a set. */
  | { readonly kind: 'property'; readonly property: string }
  /** Users who have a right at the object, by a share (RFC 9670). */
  | { readonly kind: 'share'; readonly right: string }
  | ParentSubject;

/**
 * Users who see the object that the reference leads to. With `right`: those who have the right
 * there by a share, or by the object's own rules for `parent` with this right.
 */
export interface ParentSubject {
  readonly kind: 'parent';
  readonly reference: string;
  /** The name of the object's type. */
  readonly type: string;
  readonly right?: string;
}

/** Users who may do something with the objects of a type. */
export interface AccessRule {
  readonly who: AccessSubject;
  /** Only objects that meet all of these conditions. */
  readonly where?: readonly RuleCondition[];
  readonly read?: true;
  readonly create?: true;
  /** All properties, or these alone. */
  readonly update?: true | readonly string[];
  /** Members that the type keeps without declaring them: where `update` is a list, or absent. */
  readonly undeclared?: true;
  readonly destroy?: true;
  /** They may change with whom the object is shared. `update: true` is about the rest. */
  readonly share?: true;
  /** They may change an object so that they see it no more. */
  readonly leave?: true;
}

/** A rule by which objects follow others. */
export type ParentRule = AccessRule & { readonly who: ParentSubject };

/** Returns the rules by which the objects of a type follow others. */
export function parentRulesOf(rules: readonly AccessRule[]): readonly ParentRule[] {
  return rules.filter((rule): rule is ParentRule => rule.who.kind === 'parent');
}

/** Returns whether rights at single objects of the type can be given to users. */
export function isShareable({ access = [], share }: ShareableType): boolean {
  return share !== undefined || access.some(({ who }) => who.kind === 'share');
}

/** The part of a type's definition that says whether its objects can be shared. */
interface ShareableType {
  readonly access?: readonly AccessRule[];
  readonly share?: object;
}

/** Returns the properties by whose values the rules differ. */
export function propertiesOfRules(rules: readonly AccessRule[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap(({ who, where = [] }) => {
      const own = where.map(({ property }) => property);
      if (who.kind === 'property') return [who.property, ...own];
      return who.kind === 'parent' ? [who.reference, ...own] : own;
    }),
  );
}
