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
  /** Users who have a right at the object of `type` that the reference leads to, by a share. */
  | {
      readonly kind: 'parent';
      readonly reference: string;
      readonly type: string;
      readonly right: string;
    }
  /** Users who see the object of `type` that the reference leads to. */
  | { readonly kind: 'viewer'; readonly reference: string; readonly type: string };

/** Users who may do something with the objects of a type. */
export interface AccessRule {
  readonly who: AccessSubject;
  /** Only objects that meet all of these conditions. */
  readonly where?: readonly RuleCondition[];
  readonly read?: true;
  readonly create?: true;
  /** All properties, or these alone. */
  readonly update?: true | readonly string[];
  readonly destroy?: true;
  /** They may change an object so that they see it no more. */
  readonly leave?: true;
}
