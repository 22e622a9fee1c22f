import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { BranchStep, Place, PlaceStep } from '../capability/places.js';
import { canonicalJson } from '../protocol/canonical-json.js';
import { type Branch, branchesIn, branchesOf } from './branches.js';
import { type Located, member, members, text } from './located.js';
import { byCodeUnit } from './order.js';

/**
 * Returns whether the texts of a schema are ids of blobs: `blob: true`, or the word in `setOf:
 * blob`.
 */
export function isBlob(node: Located | undefined): boolean {
  return text(node) === 'blob' || member(node, 'blob')?.value === true;
}

/** Returns whether the texts of a property, or the keys of its set, are ids of users. */
export function isPrincipal(node: Located): boolean {
  return member(node, 'principal')?.value === true;
}

/** A schema within another one. */
export interface InnerSchema {
  readonly place: Place;
  readonly node: Located;
  /** The schemas that it lies in, the outermost first. */
  readonly above: readonly Located[];
}

/** Returns a schema and all schemas within it, outer ones first. */
export function schemasIn(node: Located): readonly InnerSchema[] {
  const inner = stepsFrom(node).flatMap(([step, schema]) =>
    schemasIn(schema).map((each) => ({
      place: [step, ...each.place],
      node: each.node,
      above: [node, ...each.above],
    })),
  );
  return [{ place: [], node, above: [] }, ...inner];
}

/** A schema one step below another one. */
type Step<Schema> = readonly [step: PlaceStep, schema: Schema];

/** Returns the schemas one step below a schema of a descriptor. */
export function stepsFrom(node: Located): readonly Step<Located>[] {
  const declared = members(member(node, 'properties')).map(
    (each) => [each.name, each.node] as const,
  );
  return stepsInto(declared, branchesOf(node), {
    item: member(node, 'items'),
    set: member(node, 'setOf'),
    key: member(node, 'propertyNames'),
    value: member(node, 'additionalProperties'),
  });
}

/** Returns the schemas one step below a JSON Schema. */
export function stepsFromSchema(schema: JSONSchema7): readonly Step<JSONSchema7Definition>[] {
  const { properties = {}, items, propertyNames: key, additionalProperties: value } = schema;
  const item = Array.isArray(items) ? undefined : items;
  return stepsInto(Object.entries(properties), branchesIn(schema), { item, key, value });
}

/** Returns the steps in order of names: hashes and migrations have places, and no moved line. */
function stepsInto<Schema>(
  declared: readonly (readonly [name: string, schema: Schema])[],
  branches: readonly Branch<Schema>[],
  { item, set, key, value }: Partial<Record<'item' | 'set' | 'key' | 'value', Schema | undefined>>,
): readonly Step<Schema>[] {
  const sorted = [...declared].sort(([a], [b]) => byCodeUnit(a, b));
  const except = sorted.length === 0 ? {} : { except: sorted.map(([name]) => name) };
  return [
    ...sorted.map(([name, schema]): Step<Schema> => [{ member: name }, schema]),
    ...branches.map(({ step, schema }): Step<Schema> => [step, schema]),
    ...(item === undefined ? [] : [[{ each: 'item' }, item] as const]),
    ...(set === undefined ? [] : [[{ each: 'key' }, set] as const]),
    ...(key === undefined ? [] : [[{ each: 'key', ...except }, key] as const]),
    ...(value === undefined ? [] : [[{ each: 'value', ...except }, value] as const]),
  ];
}

/** Returns the places of the first list that the second one hasn't. */
export function placesBeside(places: readonly Place[], others: readonly Place[]): readonly Place[] {
  const known = new Set(others.map(canonicalJson));
  return places.filter((place) => !known.has(canonicalJson(place)));
}

/** Returns each pair of the first and the second list that is about the same place. */
export function pairAtPlaces<One extends { readonly place: Place }>(
  first: readonly One[],
  second: readonly One[],
): readonly (readonly [One, One])[] {
  const known = new Map(first.map((one) => [canonicalJson(one.place), one]));
  return second.flatMap((one) => {
    const other = known.get(canonicalJson(one.place));
    return other === undefined ? [] : [[other, one] as const];
  });
}

/** Returns whether values of the schema may have a text at the place. */
export function mayHaveText(schema: JSONSchema7Definition | undefined, place: Place): boolean {
  if (typeof schema !== 'object') return schema === true;
  const [step, ...further] = place;
  if (step !== undefined && 'branch' in step) return mayHaveInBranch(schema, step, further);
  const branches = branchesIn(schema);
  if (branches.length > 0) return branches.some((each) => mayHaveText(each.schema, place));
  if (step === undefined)
    return schema.type === undefined || [schema.type].flat().includes('string');
  if ('member' in step) {
    const { properties = {}, additionalProperties } = schema;
    const inner = Object.hasOwn(properties, step.member) ? properties[step.member] : undefined;
    return mayHaveText(inner ?? additionalProperties, further);
  }
  if (step.each === 'item') return mayHaveText(schema.items as JSONSchema7Definition, further);
  const { additionalProperties } = schema;
  if (step.each === 'value') return mayHaveText(additionalProperties, further);
  return additionalProperties !== undefined && additionalProperties !== false;
}

/** Returns the same of a place within a branch of a union. An object may have been none before. */
function mayHaveInBranch(schema: JSONSchema7, step: BranchStep, further: Place): boolean {
  const branches = branchesIn(schema);
  if (branches.length === 0) return mayHaveText(schema, further);
  return branches.some(
    (each) =>
      (each.step.others === true ||
        step.others === true ||
        each.step.of.some((value) => step.of.includes(value))) &&
      mayHaveText(each.schema, further),
  );
}
