import { items, type Located, type Member, member, members } from '../located.js';
import type { Location } from '../model.js';
import type { PropertyView } from '../property-view.js';
import type { CapabilityView, TypeView } from '../view.js';
import { place } from './rule.js';

/**
 * A report leaves out errors that follow from another one: if a property's type is unknown, nobody
 * needs to hear that it has no default. The structure rule names the parts that each of its errors
 * spoils. The other rules judge the rest.
 */

/** The steps from a descriptor's root to a value. */
export type Path = readonly string[];

/** Keys by which other rules tell what a property is: one that is misspelt spoils the property. */
const MEANINGFUL: ReadonlySet<string> = new Set([
  ...['type', 'format', 'enum', 'items', 'properties', 'additionalProperties', 'required'],
  ...[
    'setOf',
    'oneOf',
    'discriminator',
    '$ref',
    'const',
    'default',
    'optional',
    'access',
    'blob',
    'references',
    'computed',
  ],
]);

/**
 * Returns whether other rules would say something wrong because of an unknown key. `meant` is the
 * legal key that it probably stands for.
 */
export function changesMeaning(path: Path, meant: string | undefined): boolean {
  const isOfType = path.length === 2 && path[0] === 'types';
  if (isOfType) return meant === 'properties' || meant === 'required';
  return meant === undefined || MEANINGFUL.has(meant);
}

/**
 * Returns the part that an error at a path spoils: a property, another key of a type (`filter`), a
 * method or a definition. An error of the type itself or of `required` spoils the whole type, one
 * at the root or in `drops` nothing.
 */
export function spoiledBy(root: Located, path: Path): readonly Member[] {
  const [section = '', name = '', key, inner] = path;
  const whole = member(root, section)?.members?.get(name);
  if (whole === undefined || section === 'drops') return [];
  const part = key === undefined ? undefined : whole.node.members?.get(key);
  if (section !== 'types' || part === undefined || key === 'required') return [whole];
  if (key !== 'properties') return [part];
  const property = inner === undefined ? undefined : part.node.members?.get(inner);
  return [property ?? whole];
}

/**
 * Returns the views without the kinds of spoiled properties, and a test whether a complaint is
 * about a spoiled part.
 */
export function withoutSpoiled(
  views: readonly CapabilityView[],
  spoiled: readonly Member[],
): { readonly sound: readonly CapabilityView[]; readonly isSpoiled: (at: Location) => boolean } {
  if (spoiled.length === 0) return { sound: views, isSpoiled: () => false };
  const places = new Set<string>();
  for (const { nameAt, node } of new Set(spoiled)) {
    places.add(place(nameAt));
    addPlaces(node, places);
  }
  const isSpoiled = (at: Location) => places.has(place(at));
  return {
    sound: views.map((view) => ({
      ...view,
      types: view.types.map((type) => withoutKinds(type, isSpoiled)),
    })),
    isSpoiled,
  };
}

/** Adds the places of a node, of its keys and of all below it, as text. */
function addPlaces(node: Located, places: Set<string>): void {
  places.add(place(node.at));
  for (const item of items(node)) addPlaces(item, places);
  for (const each of members(node)) {
    places.add(place(each.nameAt));
    addPlaces(each.node, places);
  }
}

/**
 * Returns a type whose spoiled properties have no kind: rules say nothing of such a property, nor
 * of filters and sorts by it.
 */
function withoutKinds(type: TypeView, isSpoiled: (at: Location) => boolean): TypeView {
  const known = new Map<PropertyView, PropertyView>();
  for (const property of type.properties)
    if (isSpoiled(property.nameAt)) known.set(property, { ...property, kind: undefined });
  if (known.size === 0) return type;
  const swap = (property: PropertyView) => known.get(property) ?? property;
  const swapNamed = <Named extends { readonly property: PropertyView | undefined }>(each: Named) =>
    each.property === undefined ? each : { ...each, property: swap(each.property) };
  return {
    ...type,
    properties: type.properties.map(swap),
    filters: type.filters.map((filter) => ({
      ...swapNamed(filter),
      texts: filter.texts.map(swapNamed),
    })),
    sorts: type.sorts.map(swapNamed),
  };
}
