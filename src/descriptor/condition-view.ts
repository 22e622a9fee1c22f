import type { RuleCondition } from '../capability/definition.js';
import { unescapeToken } from '../protocol/json-pointer.js';
import { type Located, member, members } from './located.js';
import type { NameView } from './name-view.js';

/** The values of one property, or of a member within it, by which something holds. */
export interface ConditionView {
  readonly property: NameView;
  /** The names of the members that lead from the property to what is compared. */
  readonly path: readonly string[];
  readonly values: readonly Located[];
  readonly isNot: boolean;
}

/** Reads conditions: each has a list of values, one value, or `not` with a list. */
export function viewConditions(node: Located | undefined): readonly ConditionView[] {
  return members(node).map(({ name, nameAt, node: values }) => {
    const not = member(values, 'not');
    const given = not ?? values;
    return {
      property: { name, at: nameAt },
      path: [],
      values: given.items ?? (given.members === undefined ? [given] : []),
      isNot: not !== undefined,
    };
  });
}

/** Reads conditions whose names may lead into a value: `keywords/$seen`. */
export function viewInnerConditions(node: Located | undefined): readonly ConditionView[] {
  return viewConditions(node).map((condition) => {
    const { name, at } = condition.property;
    const [first = '', ...path] = name.split('/').map(unescapeToken);
    return { ...condition, property: { name: first, at }, path };
  });
}

/** Returns the engine's form of a condition that the rules accepted. */
export function buildCondition({ property, path, values, isNot }: ConditionView): RuleCondition {
  return {
    property: property.name,
    ...(path.length === 0 ? {} : { path }),
    values: values.map(({ value }) => value),
    ...(isNot ? { isNot: true } : {}),
  };
}
