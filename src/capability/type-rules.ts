import type { JsonValue } from '../protocol/json.js';

/** The rules of a type that depend on the values of its objects, as data. */
export interface TypeRules {
  readonly transitions?: readonly TransitionRule[];
  readonly immutable?: readonly ImmutableRule[];
  readonly required?: readonly RequiredRule[];
}

/** A rule may refuse with an error that the type declares, in the place of the standard one. */
interface RuleError {
  readonly error?: string;
}

/** The values of one property by which a rule holds. */
export interface RuleCondition {
  readonly property: string;
  /** The names of members that lead from the property's value to the one that is compared. */
  readonly path?: readonly string[];
  readonly values: readonly JsonValue[];
  /** The rule holds by every other value. */
  readonly isNot?: true;
}

/** Clients change a property along these steps alone. To leave it as it is needs no step. */
export interface TransitionRule extends RuleError {
  readonly property: string;
  /** The values of new objects, beside null where the property takes it; absent for any. */
  readonly initial?: readonly JsonValue[];
  readonly steps: readonly TransitionStep[];
  /**
   * Each legal value has a step. An object with another one, which an older schema allowed, may
   * take any value.
   */
  readonly isComplete?: true;
}

/** A value, and those that may follow it. */
export interface TransitionStep {
  readonly from: string;
  readonly to: readonly JsonValue[];
}

/** Clients don't change these properties while the stored object meets all of the conditions. */
export interface ImmutableRule extends RuleError {
  readonly when: readonly RuleCondition[];
  readonly properties: readonly string[];
  /** Nor do they change properties that the type keeps without declaring them. */
  readonly undeclared?: true;
  /** They don't destroy it either. */
  readonly keepsObject?: true;
}

/** A create or update that meets all of the conditions leaves none of these properties empty. */
export interface RequiredRule extends RuleError {
  readonly when: readonly RuleCondition[];
  readonly properties: readonly string[];
}
