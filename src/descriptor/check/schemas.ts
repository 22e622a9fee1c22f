import { isRepeated, items, type Located, member, members } from '../located.js';
import type { Location } from '../model.js';
import type { CapabilityView } from '../view.js';

/**
 * A schema anywhere in a descriptor: of a property, within one, or of a method's arguments and
 * response.
 */
export interface SchemaView {
  /** Its name in messages: `text`, `meta/a/b`. */
  readonly label: string;
  readonly node: Located;
  readonly at: Location;
  /** 1 for a property, an argument or a response itself. */
  readonly depth: number;
  readonly use: 'property' | 'message';
  /** The schema under `setOf`: its values are names of members. */
  readonly isKey?: boolean;
}

/** Schemas by their node. A definition that several places use is one of them, at its deepest. */
type Found = Map<Located, SchemaView>;

/**
 * Returns every schema of a capability, outer ones before inner ones: one from `$defs` once, where
 * it lies deepest, however often it is used.
 */
export function schemasOf(view: CapabilityView): readonly SchemaView[] {
  const found: Found = new Map();
  const messages: Found = new Map();
  for (const type of view.types) {
    for (const { name, nameAt, node } of type.properties)
      collect({ label: name, node, at: nameAt, depth: 1, use: 'property' }, found);
  }
  for (const { name, nameAt, node, hasType } of view.types.flatMap((type) => type.answered))
    if (hasType) collect({ label: name, node, at: nameAt, depth: 1, use: 'message' }, messages);
  const standard = view.types.flatMap((type) => type.standardMethods ?? []);
  for (const method of [...standard, ...view.methods]) {
    for (const part of ['arguments', 'response']) {
      const node = member(method.node, part);
      if (node !== undefined)
        collect({ label: part, node, at: node.at, depth: 1, use: 'message' }, messages);
    }
  }
  for (const { name, members: all } of view.types.flatMap((type) => type.errors)) {
    for (const { name: inner, nameAt, node } of all)
      collect({ label: `${name}/${inner}`, node, at: nameAt, depth: 1, use: 'message' }, messages);
  }
  for (const { name, nameAt, node } of view.unused.schemas)
    collect({ label: name, node, at: nameAt, depth: 1, use: 'property' }, found);
  return [...found.values(), ...messages.values()];
}

/**
 * Adds a schema and all below it. A definition is walked again only where it stands deeper, and not
 * within itself.
 */
function collect(schema: SchemaView, found: Found): void {
  if (isRepeated(schema.node)) return;
  const key = schema.node.definition ?? schema.node;
  const known = found.get(key);
  if (known !== undefined && known.depth >= schema.depth) return;
  found.set(key, { ...(known ?? schema), depth: schema.depth });
  const { label: outer, use } = schema;
  const depth = schema.depth + 1;
  const inner = (label: string, node: Located, at: Location, isKey = false): void =>
    collect({ label: `${outer}/${label}`, node, at, depth, use, isKey }, found);
  for (const { name, nameAt, node } of members(member(schema.node, 'properties')))
    inner(name, node, nameAt);
  const item = member(schema.node, 'items');
  if (item !== undefined) inner('items', item, item.at);
  for (const branch of items(member(schema.node, 'oneOf')))
    collect({ ...schema, node: branch, at: branch.at }, found);
  const keys = member(schema.node, 'setOf');
  if (keys?.members !== undefined) inner('keys', keys, keys.at, true);
  const further = member(schema.node, 'additionalProperties');
  if (further?.members !== undefined) inner('*', further, further.at);
}
