import {
  type Located,
  mapItems,
  mapMembers,
  members,
  rebuilt,
} from '../../../src/descriptor/located.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';

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
  if (node.items !== undefined) return mapItems(node, (item) => inOrder(item, part));
  const all = [...members(node)];
  if (part !== 'members') all.sort((a, b) => byCodeUnit(a.name, b.name));
  return mapMembers(rebuilt(node, all), (each) => inOrder(each.node, partOf(part, each.name)));
}

function partOf(part: Part, name: string): Part {
  const inner = PARTS[part];
  if (typeof inner === 'string') return inner;
  return Object.hasOwn(inner, name) ? (inner[name] ?? 'data') : 'data';
}
