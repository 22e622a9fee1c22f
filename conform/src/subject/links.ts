import type { JSONSchema7 } from 'json-schema';
import {
  isWholePlace,
  type Reference,
  referencesOf,
} from '../../../src/capability/named-references.js';
import {
  type BranchStep,
  type Place,
  replaceTexts,
  textsAt,
} from '../../../src/capability/places.js';
import { branchesIn } from '../../../src/descriptor/branches.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { buildLeast } from './least.js';
import { toSchema } from './values.js';

/** A reference of a described type: a place in the values of one of its properties. */
export type Link = Reference<ModelProperty>;

/**
 * Returns the references of a property that a value can hold alone, with one id: no other one and
 * no blob must be beside it, and no more entries.
 */
export const listLinks = (property: ModelProperty): readonly Link[] =>
  referencesOf([property]).filter(canStandAlone);

/** Returns those beside which a value may need other objects, but no blob and no more entries. */
export const listHeldLinks = (property: ModelProperty): readonly Link[] =>
  referencesOf([property]).filter(
    (link) =>
      textsAt(property.blobs, wrapIds(link, 'x')).size === 0 &&
      hasRoomForOne(property.schema, link.place),
  );

/** Returns the references of the same property, with the texts that a value has there. */
export const listBeside = (
  { property, name }: Link,
  value: Json,
): readonly { readonly link: Link; readonly texts: readonly string[] }[] =>
  referencesOf([property])
    .filter((link) => link.name !== name)
    .map((link) => ({ link, texts: [...textsAt([link.place], value)] }));

/** Returns the first reference that can stand alone; undefined where there is none. */
export const findLink = (property: ModelProperty): Link | undefined => listLinks(property)[0];

/** Tells whether a place holds as many ids as a list, a set or a map has entries. */
export const holdsSeveral = ({ place }: Link): boolean => place.some((step) => 'each' in step);

/** Tells whether the property is a set of ids: a map of ids each to true. */
export const isSet = ({ property, place: [step, ...further] }: Link): boolean =>
  step !== undefined &&
  'each' in step &&
  step.each === 'key' &&
  further.length === 0 &&
  toSchema(property.schema.additionalProperties).enum?.[0] === true;

/** Tells whether the property itself is the reference: an id, or a list or a set of ids. */
export const isPlain = (link: Link): boolean =>
  isWhole(link) &&
  (isSet(link) || !link.place.some((step) => 'each' in step && step.each === 'key'));

/** Tells whether the property's ids are its value, the items of it or all of its keys. */
export const isWhole = ({ place }: Link): boolean => isWholePlace(place);

/** Returns the least value of a property that holds these ids at a place of references or blobs. */
export const wrapIds = (
  { property, place }: Pick<Link, 'property' | 'place'>,
  ...ids: readonly string[]
): Json => (ids.length === 0 && place.length === 0 ? null : buildAt(property.schema, place, ids));

function buildAt(schema: JSONSchema7, place: Place, ids: readonly string[]): Json {
  const [step, ...further] = place;
  if (step === undefined) return ids[0] ?? null;
  if ('branch' in step) {
    const least = { [step.branch]: step.of.find((value) => value !== null) ?? null };
    const built = buildAt(findBranch(schema, step), further, ids) as JsonMap;
    return least[step.branch] === null ? built : { ...least, ...built };
  }
  if ('member' in step) {
    const inner = toSchema(schema.properties?.[step.member]);
    const least = buildLeast({ ...schema, type: 'object' }) as JsonMap;
    return { ...least, [step.member]: buildAt(inner, further, ids) };
  }
  if (step.each === 'item') return ids.map((id) => buildAt(toSchema(schema.items), further, [id]));
  const values = toSchema(schema.additionalProperties);
  const entries = ids.map((id, n): [string, Json] =>
    step.each === 'key' ? [id, buildLeast(values)] : [`k${n}`, buildAt(values, further, [id])],
  );
  // The entries are those that it must have.
  const least = buildLeast({ ...schema, type: 'object', minProperties: 0 }) as JsonMap;
  return { ...least, ...Object.fromEntries(entries) };
}

/** Finds the schema of a branch of a union. */
const findBranch = (schema: JSONSchema7, step: BranchStep): JSONSchema7 =>
  branchesIn(schema).find((one) => same(one.step as unknown as Json, step as unknown as Json))
    ?.schema ?? {};

function canStandAlone(link: Link): boolean {
  const { property, place } = link;
  const others = referencesOf([property]).filter(({ name }) => name !== link.name);
  const places = [...property.blobs, ...others.map((other) => other.place)];
  return textsAt(places, wrapIds(link, 'x')).size === 0 && hasRoomForOne(property.schema, place);
}

/** Tells whether the lists and maps on the way to a place may have one entry. */
function hasRoomForOne(schema: JSONSchema7, [step, ...further]: Place): boolean {
  if (step === undefined) return true;
  if ('branch' in step) return hasRoomForOne(findBranch(schema, step), further);
  const { minItems = 0, minProperties = 0, properties, items, additionalProperties } = schema;
  if ('member' in step) return hasRoomForOne(toSchema(properties?.[step.member]), further);
  if (minItems > 1 || minProperties > 1) return false;
  return hasRoomForOne(toSchema(step.each === 'item' ? items : additionalProperties), further);
}

/**
 * Returns the least value of a property that may not be left out, and the types of the objects that
 * it names: `fill` gives an id for each.
 */
export function buildHolder(property: ModelProperty, idOf: (type: string) => string): Json {
  const [whole] = listLinks(property).filter(isWhole);
  if (whole !== undefined) return wrapIds(whole, idOf(whole.type));
  return referencesOf([property]).reduce<Json>(
    (value, { place, type }) => replaceTexts([place], value, () => idOf(type)) as Json,
    buildLeast(property.schema),
  );
}

/** Returns the types that the least value of a property names objects of. */
export function listNeeded(property: ModelProperty): readonly string[] {
  const [whole] = listLinks(property).filter(isWhole);
  if (whole !== undefined) return [whole.type];
  const least = buildLeast(property.schema);
  const needed = referencesOf([property]).filter(({ place }) => textsAt([place], least).size > 0);
  return [...new Set(needed.map(({ type }) => type))];
}
