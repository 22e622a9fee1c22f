import { escapeToken } from '../protocol/json-pointer.js';
import type { ReferenceDefinition } from './definition.js';
import { type Place, placeText } from './places.js';

/** The parts of a property that name its references. */
interface Referring {
  readonly name: string;
  readonly column: string;
  readonly references?: readonly ReferenceDefinition[];
}

/** A reference of a type: one place in the values of one of its properties. */
export interface Reference<Property extends Referring = Referring> extends ReferenceDefinition {
  readonly property: Property;
  /** Tells it from the type's other references: `parentId`, `links`, `steps/*\/taskId`. */
  readonly name: string;
  /** The same with the property's column in place of its name: it survives a rename. */
  readonly key: string;
  /**
   * Each object that it names has a row in JmapReference. A weak reference has none: nothing
   * follows from it.
   */
  readonly isRecorded: boolean;
}

/** Returns the references of all these properties. */
export function referencesOf<Property extends Referring>(
  properties: readonly Property[],
): readonly Reference<Property>[] {
  return properties.flatMap((property) =>
    (property.references ?? []).map((reference) => ({
      ...reference,
      property,
      name: referenceName(escapeToken(property.name), reference.place),
      key: referenceName(property.column, reference.place),
      isRecorded: reference.onDestroy !== 'keep',
    })),
  );
}

/** Returns those of them that have records. */
export function recordedReferencesOf<Property extends Referring>(
  properties: readonly Property[],
): readonly Reference<Property>[] {
  return referencesOf(properties).filter(({ isRecorded }) => isRecorded);
}

/** Returns the column of a key: no column has a slash in its name. */
export function columnOfKey(key: string): string {
  return key.split('/', 1)[0] ?? key;
}

/** Returns the place from which `setNull` takes an id out. */
export function placeOfRemoval({ place, removable }: ReferenceDefinition): Place {
  const last = place.at(-1);
  if (removable !== true || last === undefined || !('member' in last)) return place;
  return [...place.slice(0, -1), { ...last, removable }];
}

/** Returns whether values of the property name objects anywhere. */
export function holdsReferences({ references }: Pick<Referring, 'references'>): boolean {
  return references !== undefined && references.length > 0;
}

/** Returns a reference to one object: the value itself is its id. */
export function singleReference<One extends { readonly place: Place }>({
  references = [],
}: {
  readonly references?: readonly One[] | undefined;
}): One | undefined {
  return references.find(({ place }) => place.length === 0);
}

/**
 * A property's own name stands for the ids that it itself is, or its items or all of its keys: it
 * has only one such place. Records from before there were others have it.
 */
export function referenceName(base: string, place: Place): string {
  return isWholePlace(place) ? base : `${base}/${placeText(place)}`;
}

/** Returns whether the ids at the place are the value itself, its items, or all of its keys. */
export function isWholePlace([step, ...further]: Place): boolean {
  if (step === undefined) return true;
  if (further.length > 0 || !('each' in step)) return false;
  return step.each !== 'value' && step.except === undefined;
}
