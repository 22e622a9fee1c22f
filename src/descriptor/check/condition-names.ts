import { whyNoConditionName } from './reserved.js';
import type { Rule } from './rule.js';

/** A filter condition's name is a member of a FilterCondition. */
export const conditionNames: Rule = (views, report) => {
  for (const { name, nameAt } of views.flatMap((view) => view.types).flatMap((t) => t.filters)) {
    const why = whyNoConditionName(name);
    if (why !== undefined)
      report('bad-condition-name', nameAt, `no condition can be named "${name}": ${why}.`);
  }
};
