import { member } from '../located.js';
import { eachType } from './rule.js';

/** Refuses `optional` where the property could never be absent. */
export const optionals = eachType(({ properties, required }, report) => {
  const names = new Set(required.map(({ name }) => name));
  for (const { name, node, optional } of properties) {
    if (!optional) continue;
    const at = member(node, 'optional')?.at ?? node.at;
    const why = names.has(name)
      ? 'required, so it is never absent'
      : member(node, 'default') !== undefined && 'given a default, which a create stores';
    if (why !== false)
      report('bad-optional', at, `"${name}" is optional and ${why}: drop one of the two.`);
  }
});
