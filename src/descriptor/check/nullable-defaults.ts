import { member } from '../located.js';
import type { Rule } from './rule.js';

/**
 * Refuses a nullable property with a default other than null: a null patch restores the default
 * (RFC 8620 5.3), so it could never be null.
 */
export const nullableDefaults: Rule = (views, report) => {
  for (const { name, node, nullable } of views
    .flatMap((v) => v.types)
    .flatMap((t) => t.properties)) {
    const given = member(node, 'default');
    if (nullable && given !== undefined && given.value !== null)
      report(
        'nullable-default',
        given.at,
        `"${name}" may be null, so its default is null: a null patch restores the default, ` +
          "and null could never be set. Drop the default or 'null'.",
      );
  }
};
