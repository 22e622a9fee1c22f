import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { isReference, type ReferenceProperty } from '../type-index.js';

/** A property of some type that refers to a type. */
export interface IncomingReference {
  readonly type: DataTypeDefinition;
  readonly property: ReferenceProperty;
}

/** A computed property that counts the objects which refer to its object. */
export interface CountedBy {
  readonly type: DataTypeDefinition;
  readonly property: PropertyDefinition;
  /** The counted type's reference property. */
  readonly by: string;
}

/** How types depend on one another; by type name. */
export interface Relations {
  /** What refers to a type. */
  readonly incoming: ReadonlyMap<string, readonly IncomingReference[]>;
  /** Which properties count a type's objects. */
  readonly counts: ReadonlyMap<string, readonly CountedBy[]>;
  /** Every reference whose objects are destroyed with what they refer to. */
  readonly cascading: readonly { readonly type: string; readonly property: string }[];
}

/** Looks up how the types depend on one another. */
export function relate(types: Iterable<DataTypeDefinition>): Relations {
  const incoming = new Map<string, IncomingReference[]>();
  const counts = new Map<string, CountedBy[]>();
  const cascading: { readonly type: string; readonly property: string }[] = [];
  for (const type of types) {
    for (const property of type.properties) {
      if (isReference(property)) {
        push(incoming, property.reference.type, { type, property });
        if (property.reference.onDestroy === 'cascade') {
          cascading.push({ type: type.name, property: property.name });
        }
      }
      const { computed } = property;
      if (computed?.kind === 'count')
        push(counts, computed.type, { type, property, by: computed.by });
    }
  }
  return Object.freeze({ incoming, counts, cascading });
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
