import { whyNoConditionName } from './reserved.js';
import { eachType } from './rule.js';

/** Refuses names of conditions that a FilterCondition can't have as members (RFC 8620 5.5). */
export const conditionNames = eachType(({ filters }, report) => {
  for (const { name, nameAt } of filters) {
    const why = whyNoConditionName(name);
    if (why !== undefined)
      report('bad-condition-name', nameAt, `no condition can be named "${name}": ${why}.`);
  }
});
