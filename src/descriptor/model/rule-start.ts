import type { RuleCondition } from '../../capability/definition.js';
import { meetsConditions } from '../../capability/rule-conditions.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import type { ModelProperty, ModelType } from '../model.js';
import { isGiven } from './access.js';

/** The words of a type's rules about an object as samples begin it. */
export interface RuleStart {
  /** The values of the properties that decide on rules, by name. */
  readonly values: JsonObject;
  /** Names of the properties that can't be changed then. */
  readonly locked: ReadonlySet<string>;
  /** Names of the properties that must not be empty then. */
  readonly needed: ReadonlySet<string>;
}

/** Returns what the rules of a type say of a new object that is as plain as may be. */
export function startUnderRules(type: ModelType): RuleStart {
  const { transitions = [], immutable = [], required = [] } = type.rules ?? {};
  const conditions = [...immutable, ...required].flatMap(({ when }) => when);
  const decisive = new Set([...transitions, ...conditions].map(({ property }) => property));
  const values: Record<string, JsonValue> = {};
  for (const property of type.properties) {
    if (!decisive.has(property.name)) continue;
    const rule = transitions.find((each) => each.property === property.name);
    values[property.name] = startOf(property, rule?.initial);
  }
  const holds = ({ when }: { readonly when: readonly RuleCondition[] }) =>
    meetsConditions(when, values);
  return {
    values,
    locked: new Set(immutable.filter(holds).flatMap(({ properties }) => properties)),
    needed: new Set(required.filter(holds).flatMap(({ properties }) => properties)),
  };
}

/** Returns the value of a new object: its default, or else the first that is legal. */
function startOf(property: ModelProperty, initial: readonly JsonValue[] | undefined): JsonValue {
  const { required, default: given = null, schema } = property;
  if (!required || !isGiven(property)) return given;
  const [first] = initial ?? (schema.enum as readonly JsonValue[] | undefined) ?? [];
  return first ?? (schema.type === 'boolean' ? false : given);
}
