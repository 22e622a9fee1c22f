import type { JsonObject } from '../protocol/json.js';
import type { RuleCondition } from './type-rules.js';

/** Returns whether an object meets all conditions of a rule. */
export function meetsConditions(when: readonly RuleCondition[], object: JsonObject): boolean {
  return when.every(
    ({ property, values, isNot = false }) => values.includes(object[property] ?? null) !== isNot,
  );
}
