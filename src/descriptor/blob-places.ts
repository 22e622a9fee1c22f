import type { JSONSchema7Definition } from 'json-schema';
import type { Place, PlaceStep } from '../capability/places.js';
import { canonicalJson } from '../protocol/canonical-json.js';
import { type Located, member, members, text } from './located.js';
import { byCodeUnit } from './order.js';

/**
 * Returns whether the texts of a schema are ids of blobs: `blob: true`, or the word in `setOf:
 * blob`.
 */
export function isBlob(node: Located | undefined): boolean {
  return text(node) === 'blob' || member(node, 'blob')?.value === true;
}

/**
 * Returns the places in a schema's values where `holds` is true of the schema there, outer ones
 * first.
 */
export function placesIn(node: Located, holds: (node: Located) => boolean): readonly Place[] {
  const own: readonly Place[] = holds(node) ? [[]] : [];
  const inner = stepsFrom(node).flatMap(([step, schema]) =>
    placesIn(schema, holds).map((place) => [step, ...place]),
  );
  return [...own, ...inner];
}

/** Returns the schemas one step below a schema, each with the step of a place that leads to it. */
function stepsFrom(node: Located): readonly (readonly [PlaceStep, Located])[] {
  // In order of names: places are in hashes and migrations, which no moved line changes.
  const declared = [...members(member(node, 'properties'))].sort((a, b) =>
    byCodeUnit(a.name, b.name),
  );
  const names = declared.map(({ name }) => name);
  const except = names.length === 0 ? {} : { except: names };
  const step = (key: string, to: PlaceStep): readonly (readonly [PlaceStep, Located])[] => {
    const schema = member(node, key);
    return schema === undefined ? [] : [[to, schema]];
  };
  return [
    ...declared.map((each) => [{ member: each.name }, each.node] as const),
    ...step('items', { each: 'item' }),
    ...step('setOf', { each: 'key' }),
    ...step('propertyNames', { each: 'key', ...except }),
    ...step('additionalProperties', { each: 'value', ...except }),
  ];
}

/**
 * Returns the place for a message: `items/blobId` in a list of objects; "" for the value itself.
 */
export function placeText(place: Place): string {
  return place
    .map((step) => {
      if ('member' in step) return step.member;
      return { item: 'items', key: 'keys', value: '*' }[step.each];
    })
    .join('/');
}

/** Returns the places of the first list that the second one hasn't. */
export function placesBeside(places: readonly Place[], others: readonly Place[]): readonly Place[] {
  const known = new Set(others.map(canonicalJson));
  return places.filter((place) => !known.has(canonicalJson(place)));
}

/** Returns whether values of the schema may have a text at the place. */
export function mayHaveText(schema: JSONSchema7Definition | undefined, place: Place): boolean {
  if (typeof schema !== 'object') return schema === true;
  const [step, ...further] = place;
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
