import { whyNoMemberName, whyNoPropertyName } from './reserved.js';
import type { Rule } from './rule.js';
import { schemasOf } from './schemas.js';

/** Refuses names that can't be a member of an object in JSON and in JavaScript. */
export const propertyNames: Rule = (views, report) => {
  for (const { name, nameAt } of views.flatMap((view) => view.types).flatMap((t) => t.properties)) {
    if (name === 'id') {
      report(
        'standard-property',
        nameAt,
        'every type has an id by itself, which the server gives: leave "id" out.',
      );
      continue;
    }
    const why = whyNoPropertyName(name);
    if (why !== undefined)
      report('bad-property-name', nameAt, `no property can be named "${name}": ${why}.`);
  }
  for (const { node, use, depth } of views.flatMap(schemasOf)) {
    for (const { name, nameAt } of node.members?.get('properties')?.node.members?.values() ?? []) {
      const isArgument = use === 'message' && depth === 1;
      const why = whyNoMemberName(name) ?? (isArgument ? whyNoArgument(name) : undefined);
      if (why !== undefined)
        report('bad-property-name', nameAt, `no member can be named "${name}": ${why}.`);
    }
  }
};

/** Returns why no argument can have the name (RFC 8620 3.7); what is within one may have it. */
function whyNoArgument(name: string): string | undefined {
  return name.startsWith('#') ? 'a name with # in front is a result reference' : undefined;
}
