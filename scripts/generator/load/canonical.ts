import type { Located, Member } from '../../../src/descriptor/located.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { emptyObject } from '../../../src/protocol/json.js';

/** A part of a descriptor, by what its members are. */
type Part =
  | 'descriptor'
  | 'types'
  | 'type'
  | 'methods'
  | 'schemas'
  | 'schema'
  /** The members of an object type: schemas in the order in which people read them. */
  | 'members'
  | 'data';

/** The parts that the members of a part are: by their names, or all of them the same. */
const PARTS: Readonly<Record<Part, Readonly<Record<string, Part>> | Part>> = {
  descriptor: { types: 'types', methods: 'methods', $defs: 'schemas' },
  types: 'type',
  type: { properties: 'schemas', answered: 'schemas', standardMethods: 'methods' },
  // A method has `arguments` and `response`, whatever it is called.
  methods: 'schemas',
  schemas: 'schema',
  schema: {
    properties: 'members',
    items: 'schema',
    additionalProperties: 'schema',
    setOf: 'schema',
    // Lists of schemas: each item is a part of its own.
    oneOf: 'schema',
  },
  members: 'schema',
  data: 'data',
};

/**
 * Returns the same descriptor with the members of every object in order of their names, but for
 * members of object types, which keep theirs. Tables and hashes are made of this, so that the order
 * of a descriptor's keys changes none of them. Rules see the author's order, since they tell of
 * "the first" of two. Lists stay as they are.
 */
export function canonical(root: Located): Located {
  return inOrder(root, 'descriptor');
}

function inOrder(node: Located, part: Part): Located {
  if (node.items !== undefined) {
    const items = node.items.map((item) => inOrder(item, part));
    return { ...node, value: items.map(({ value }) => value), items };
  }
  if (node.members === undefined) return node;
  const value = emptyObject();
  const members = new Map<string, Member>();
  const entries = [...node.members];
  if (part !== 'members') entries.sort(([a], [b]) => byCodeUnit(a, b));
  for (const [name, each] of entries) {
    const inner = inOrder(each.node, partOf(part, name));
    value[name] = inner.value;
    members.set(name, { ...each, node: inner });
  }
  return { ...node, value, members };
}

function partOf(part: Part, name: string): Part {
  const inner = PARTS[part];
  if (typeof inner === 'string') return inner;
  return Object.hasOwn(inner, name) ? (inner[name] ?? 'data') : 'data';
}
