import { whyNoTypeName } from './reserved.js';
import type { Rule } from './rule.js';

/**
 * Refuses names that can't become a table, a file, TypeScript names and the first half of methods.
 */
export const typeNames: Rule = (views, report) => {
  for (const { name, nameAt } of views.flatMap((view) => view.types)) {
    const why = whyNoTypeName(name);
    if (why !== undefined)
      report('bad-type-name', nameAt, `no type can be named "${name}": ${why}.`);
  }
};
