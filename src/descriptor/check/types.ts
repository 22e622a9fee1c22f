import type { NameView } from '../name-view.js';
import { whyNoPart } from '../part-view.js';
import type { PropertyView } from '../property-view.js';
import type { CapabilityView, TypeView } from '../view.js';
import { didYouMean } from './did-you-mean.js';
import { listed, type Report } from './rule.js';

/** Returns the types of all descriptors by name; of two with one name, the first. */
export function typesOf(views: readonly CapabilityView[]): ReadonlyMap<string, TypeView> {
  const found = new Map<string, TypeView>();
  for (const type of views.flatMap((view) => view.types))
    if (!found.has(type.name)) found.set(type.name, type);
  return found;
}

const found = new WeakMap<TypeView, ReadonlyMap<string, PropertyView>>();

/**
 * Returns the properties of a type by name. A standard one counts before a declared one of its
 * name, and the first of two declared ones.
 */
export function propertiesOf(type: TypeView): ReadonlyMap<string, PropertyView> {
  const known = found.get(type);
  if (known !== undefined) return known;
  const all = [...type.standard, ...type.properties];
  const made = new Map(all.reverse().map((property) => [property.name, property]));
  found.set(type, made);
  return made;
}

/** Returns the names of a type's properties, the standard ones first. */
export function namesOf(type: TypeView): readonly string[] {
  return [...type.standard, ...type.properties].map(({ name }) => name);
}

/** Returns the property of the name; reports it and returns undefined where there is none. */
export function findProperty(
  type: TypeView,
  { name, at }: NameView,
  report: Report,
): PropertyView | undefined {
  const found = propertiesOf(type).get(name);
  if (found !== undefined) return found;
  reportUnknown(type, { name, at }, report);
  return undefined;
}

/** Reports a name that is no property of the type, or a path that leads to no part of one. */
export function reportUnknown(
  type: TypeView,
  { name, at }: NameView,
  report: Report,
  advice = '',
): void {
  const why = whyNoPart(name, propertiesOf(type));
  const names = namesOf(type);
  report(
    'unknown-property',
    at,
    why ??
      `"${name}" is no property of ${type.name}.${didYouMean(name, names)} Declared: ` +
        `${listed(names)}.${advice}`,
  );
}

/** Returns the type of the name; reports it and returns undefined where there is none. */
export function findType(
  types: ReadonlyMap<string, TypeView>,
  { name, at }: NameView,
  report: Report,
): TypeView | undefined {
  const found = types.get(name);
  if (found !== undefined) return found;
  const names = [...types.keys()];
  report(
    'unknown-target',
    at,
    `no descriptor has a type "${name}".${didYouMean(name, names)} Declared: ${listed(names)}.`,
  );
  return undefined;
}
