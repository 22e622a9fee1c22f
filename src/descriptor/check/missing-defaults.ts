import { singleReference } from '../../capability/named-references.js';
import { member } from '../located.js';
import type { Rule } from './rule.js';

/** Refuses a property for which a create without it would have nothing to store. */
export const missingDefaults: Rule = (views, report) => {
  for (const { properties, required, singleton } of views.flatMap((view) => view.types)) {
    const names = new Set(required.map(({ name }) => name));
    for (const { name, nameAt, node, kind, nullable, access, blob, ...rest } of properties) {
      if (kind === undefined || nullable || member(node, 'default') !== undefined) continue;
      if (names.has(name)) continue;
      const ways = [
        ...(access === 'serverSet' || access === 'internal' || singleton
          ? []
          : ['list it under required']),
        "make it nullable (type: [..., 'null'])",
        ...(blob || access === 'secret' || singleReference(rest) !== undefined
          ? []
          : ['give it a default']),
      ];
      report(
        'missing-default',
        nameAt,
        `"${name}" is neither required nor nullable and has no default: ${ways.join(', or ')}.`,
      );
    }
  }
};
