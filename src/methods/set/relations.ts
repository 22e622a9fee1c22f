import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { isReference } from '../type-index.js';
import { push } from './object-keys.js';

/** A computed property that counts the objects which refer to its object. */
export interface CountedBy {
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
  /** The counted type's reference property. */
  readonly by: string;
}

/** How types depend on one another; by type name. */
export interface Relations {
  /** The types that properties refer to. */
  readonly referred: ReadonlySet<string>;
  /** Which properties count a type's objects. */
  readonly counts: ReadonlyMap<string, readonly CountedBy[]>;
  /** Every reference whose objects are destroyed with what they refer to. */
  readonly cascading: readonly { readonly type: string; readonly property: string }[];
}

/** Looks up how the types depend on one another. */
export function relate(types: Iterable<DataTypeDefinition>): Relations {
  const referred = new Set<string>();
  const counts = new Map<string, CountedBy[]>();
  const cascading: { readonly type: string; readonly property: string }[] = [];
  for (const type of types) {
    for (const property of type.properties) {
      if (isReference(property)) {
        referred.add(property.reference.type);
        if (property.reference.onDestroy === 'cascade') {
          cascading.push({ type: type.name, property: property.name });
        }
      }
      const { computed } = property;
      if (computed?.kind === 'count')
        push(counts, computed.type, { type, property, by: computed.by });
    }
  }
  return Object.freeze({ referred, counts, cascading });
}
