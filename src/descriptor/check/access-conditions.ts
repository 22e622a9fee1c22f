import type { ConditionView } from '../condition-view.js';
import type { TypeView } from '../view.js';
import { judgeInnerConditions } from './inner-conditions.js';
import type { Report } from './rule.js';
import { propertiesOf } from './types.js';

/**
 * Judges the conditions of an access rule. The server knows at each change who sees the object from
 * then on, so that clients are told: a condition reads what a change of the object itself changes.
 */
export function judgeAccessWhere(
  type: TypeView,
  where: readonly ConditionView[],
  report: Report,
): void {
  const readable = where.filter((condition) => {
    const { name, at } = condition.property;
    const why = whyUnsyncable(type, condition);
    const advice = 'A computed property can hold what the rule needs';
    if (why !== undefined) report('unsyncable-access', at, `"${name}" ${why}. ${advice}.`);
    return why === undefined;
  });
  judgeInnerConditions(type, readable, report, 'bad-access');
}

/** Returns why a change of the object doesn't tell when the condition's value changes. */
function whyUnsyncable(type: TypeView, { property, path }: ConditionView): string | undefined {
  const { name } = property;
  if (type.answered.some((one) => one.name === name))
    return 'is computed when it is read: a rule can only depend on stored properties of the object';
  const found = propertiesOf(type).get(name);
  if (found?.role === 'updated') return 'is a clock: it changes with every write';
  const isId = found?.references.some((reference) => reference.place.length === 0) === true;
  if (isId && path.length > 0)
    return 'leads to another object: a rule can only depend on stored properties of the own one';
  return undefined;
}
