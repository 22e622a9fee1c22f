import { singleReference } from '../../capability/named-references.js';
import { member } from '../located.js';
import { eachType } from './rule.js';

/** Refuses a property for which a create without it would have nothing to store. */
export const missingDefaults = eachType(({ properties, required, singleton }, report) => {
  const names = new Set(required.map(({ name }) => name));
  for (const { name, nameAt, node, kind, nullable, optional, ...rest } of properties) {
    const { access, blob } = rest;
    if (kind === undefined || nullable || optional || names.has(name)) continue;
    if (['default', 'const'].some((key) => member(node, key) !== undefined)) continue;
    const ways = [
      ...(access === 'serverSet' || access === 'internal' || singleton
        ? []
        : ['list it under required']),
      "make it nullable (type: [..., 'null'])",
      'make it optional (optional: true)',
      ...(blob || access === 'secret' || singleReference(rest) !== undefined
        ? []
        : ['give it a default']),
    ];
    report(
      'missing-default',
      nameAt,
      `"${name}" is neither required, nullable nor optional and has no default: ` +
        `${ways.join(', or ')}.`,
    );
  }
});
