import { whyNoTypeName } from './reserved.js';
import { eachType } from './rule.js';

/**
 * Refuses names that can't become a table, a file, TypeScript names and the first half of methods.
 */
export const typeNames = eachType(({ name, nameAt }, report) => {
  const why = whyNoTypeName(name);
  if (why !== undefined) report('bad-type-name', nameAt, `no type can be named "${name}": ${why}.`);
});
