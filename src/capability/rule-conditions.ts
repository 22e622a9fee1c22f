import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import type { RuleCondition } from './type-rules.js';

/** Returns whether an object meets all conditions of a rule. */
export function meetsConditions(when: readonly RuleCondition[], object: JsonObject): boolean {
  return when.every(
    ({ property, path, values, isNot = false }) =>
      values.includes(valueAt(object[property] ?? null, path)) !== isNot,
  );
}

/** Returns a member at a path within a value: null where there is none. */
function valueAt(value: JsonValue, path: readonly string[] = NO_STEPS): JsonValue {
  let inner = value;
  for (const name of path) {
    if (!isJsonObject(inner) || !Object.hasOwn(inner, name)) return null;
    inner = inner[name] ?? null;
  }
  return inner;
}

const NO_STEPS: readonly string[] = Object.freeze([]);
