import { emptyObject } from '../../../src/protocol/json.js';
import { byCodeUnit } from '../order.js';
import type { Located, Member } from './located.js';

/**
 * The same value with the members of every object in order of their names. What is emitted is made
 * of this, so that the order of a descriptor's keys, which means nothing, changes no byte of it;
 * rules see the author's order, since they tell of "the first" of two. Lists stay as they are.
 */
export function canonical(node: Located): Located {
  if (node.items !== undefined) {
    const items = node.items.map(canonical);
    return { ...node, value: items.map(({ value }) => value), items };
  }
  if (node.members === undefined) return node;
  const value = emptyObject();
  const members = new Map<string, Member>();
  for (const [name, each] of [...node.members].sort(([a], [b]) => byCodeUnit(a, b))) {
    const inner = canonical(each.node);
    value[name] = inner.value;
    members.set(name, { ...each, node: inner });
  }
  return { ...node, value, members };
}
