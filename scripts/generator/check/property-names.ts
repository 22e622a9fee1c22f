import { whyNoMemberName, whyNoPropertyName } from './reserved.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/**
 * A property's name becomes a column and a member of JavaScript objects; names within it are
 * members alone.
 */
export const propertyNames: Rule = (views, report) => {
  for (const { name, nameAt } of views.flatMap((view) => view.types).flatMap((t) => t.properties)) {
    const why = whyNoPropertyName(name);
    if (why !== undefined)
      report('bad-property-name', nameAt, `no property can be named "${name}": ${why}.`);
  }
  for (const { node, use } of views.flatMap(schemasOf)) {
    for (const { name, nameAt } of node.members?.get('properties')?.node.members?.values() ?? []) {
      const why = whyNoMemberName(name) ?? (use === 'message' ? whyNoArgument(name) : undefined);
      if (why !== undefined)
        report('bad-property-name', nameAt, `no member can be named "${name}": ${why}.`);
    }
  }
};

function whyNoArgument(name: string): string | undefined {
  return name.startsWith('#') ? 'a name with # in front is a result reference' : undefined;
}
