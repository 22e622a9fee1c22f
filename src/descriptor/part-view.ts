import type { Scalar } from '../capability/parts.js';
import { type Place, type PlaceStep, placeText } from '../capability/places.js';
import { escapeToken, unescapeToken } from '../protocol/json-pointer.js';
import { BOUNDS } from './bounds.js';
import { KEYS_OF_SETS, kindOf, typeOf } from './kinds.js';
import { type Located, member, members } from './located.js';
import { type PropertyView, referenceTarget } from './property-view.js';
import { isBlob, stepsFrom } from './schema-places.js';

/** A part of a property as a condition or a sort names it: `emails/*\/address`. */
export interface PartView {
  readonly root: PropertyView;
  readonly place: Place;
  readonly where?: Readonly<Record<string, Scalar>>;
  /** The schema of the innermost items; undefined where the part has none. */
  readonly item?: Located;
}

/** The property that a condition or a sort reads, or the part of one. */
export type OperandView = PropertyView & { readonly part?: PartView };

/**
 * Returns the property of that name, or the part of one that a path names; undefined where there is
 * none. `where` has the values that members of the innermost items must have.
 */
export function findOperand(
  name: string,
  where: Located | undefined,
  all: ReadonlyMap<string, PropertyView>,
): OperandView | undefined {
  const own = all.get(name);
  if (own !== undefined || !name.includes('/')) return own;
  const [first = '', ...tokens] = name.split('/');
  const root = all.get(unescapeToken(first));
  return root && viewPart(root, tokens, where);
}

/**
 * Returns why a path leads nowhere, with the steps that are legal there. Returns undefined if its
 * first step is no property.
 */
export function whyNoPart(
  name: string,
  all: ReadonlyMap<string, PropertyView>,
): string | undefined {
  const [first = '', ...tokens] = name.split('/');
  let node = all.get(unescapeToken(first))?.node;
  let path = first;
  for (const token of tokens) {
    if (node === undefined) return undefined;
    const next = stepTo(node, token);
    if (next === undefined) return `"${path}" has no part "${token}"${legalSteps(node)}.`;
    node = next[1];
    path += `/${token}`;
  }
  return undefined;
}

/** Returns the steps that lead on from a schema, in words. */
function legalSteps(node: Located): string {
  const steps = stepsFrom(node).map(([step]) => placeText([step]));
  if (steps.includes('*') && typeOf(node).type === 'object') steps.push('keys');
  const legal = [...new Set(steps)];
  return legal.length === 0
    ? ', nor any other'
    : `: legal ${legal.length === 1 ? 'is' : 'are'} ${legal.join(', ')}`;
}

/** Returns the items of a list as a part of it. */
export function itemsOf(list: PropertyView): OperandView | undefined {
  return viewPart(list, ['*'], undefined);
}

function viewPart(
  root: PropertyView,
  tokens: readonly string[],
  whereNode: Located | undefined,
): OperandView | undefined {
  const place: PlaceStep[] = [];
  let node = root.node;
  let item: Located | undefined;
  for (const token of tokens) {
    const found = stepTo(node, token);
    if (found === undefined) return undefined;
    place.push(found[0]);
    node = found[1];
    if ('each' in found[0]) item = node;
  }
  const where = readWhere(whereNode);
  const { type } = typeOf(node);
  const isId = isBlob(node) || member(node, 'references') !== undefined;
  const given = member(node, 'format')?.value;
  const format = isId ? 'id' : typeof given === 'string' ? given : undefined;
  return {
    ...root,
    name: partName(root.name, place, where),
    node,
    kind: root.kind === undefined ? undefined : kindOf(type, format),
    nullable: !place.some((step) => 'each' in step),
    optional: false,
    blob: isBlob(node),
    blobs: [],
    references: [],
    ...(format === undefined ? {} : { format }),
    defaultNow: false,
    part: {
      ...{ root, place },
      ...(where === undefined ? {} : { where }),
      ...(item === undefined ? {} : { item }),
    },
  };
}

/** Returns the step that a token of a path means, with the schema that it leads to. */
function stepTo(node: Located, token: string): readonly [PlaceStep, Located] | undefined {
  const steps = stepsFrom(node);
  const found = steps.find(([step]) => placeText([step]) === token);
  if (token === 'keys') {
    const values = steps.find(([step]) => 'each' in step && step.each === 'value');
    const step = found?.[0] ?? (values && { ...values[0], each: 'key' as const });
    return step && [step, keysOf(node)];
  }
  const target = member(node, 'references');
  // At a list the key is about its items.
  return found && token === '*' && target !== undefined
    ? [found[0], withMembers(found[1], { references: target })]
    : found;
}

/** Returns the schema of the keys of a set or the names of a map's members. */
function keysOf(node: Located): Located {
  const { at } = node;
  const set = member(node, 'setOf');
  const own = set ?? member(node, 'propertyNames');
  const beside = KEYS_OF_SETS.flatMap((key) => {
    const given = set === undefined ? undefined : member(node, key);
    return given === undefined ? [] : [[key, given] as const];
  });
  const target = referenceTarget(node);
  const text = withMembers(
    { value: null, at, members: new Map() },
    {
      type: { value: 'string', at },
      ...(target === undefined ? { maxLength: { value: BOUNDS.keyLength, at } } : {}),
      ...(isBlob(set) ? { blob: { value: true, at } } : {}),
      ...(target === undefined ? {} : { references: { value: target.name, at: target.at } }),
      ...Object.fromEntries(beside),
    },
  );
  return { ...text, members: new Map([...(text.members ?? []), ...(own?.members ?? [])]) };
}

/** Returns a schema with more keys. */
function withMembers(node: Located, more: Readonly<Record<string, Located>>): Located {
  const added = Object.entries(more).map(
    ([name, inner]) => [name, { name, nameAt: inner.at, node: inner }] as const,
  );
  return { ...node, members: new Map([...(node.members ?? []), ...added]) };
}

function readWhere(node: Located | undefined): PartView['where'] {
  const given = members(node).flatMap(({ name, node: { value } }) =>
    typeof value === 'object' ? [] : [[name, value] as const],
  );
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the name of a part: its path, and what its items must have. */
export function partName(property: string, place: Place, where?: PartView['where']): string {
  const path = `${escapeToken(property)}/${placeText(place)}`;
  if (where === undefined) return path;
  const facts = Object.entries(where).map(([name, value]) => `${name}=${value}`);
  return `${path}[${facts.join(',')}]`;
}
