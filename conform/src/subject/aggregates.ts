import { isAggregate, isBefore, partOf } from '../../../src/capability/aggregates.js';
import type { AggregateDefinition } from '../../../src/capability/definition.js';
import { addExact, exactOf, exactValue, ZERO } from '../../../src/capability/exact-sum.js';
import type { ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import type { Json, JsonMap } from '../client/json.js';
import { listVisible } from './described.js';

/** A property that the server makes of objects that refer to its object. */
export interface Made {
  readonly property: ModelProperty;
  readonly computed: AggregateDefinition & { readonly by: string };
}

/** Finds the visible properties of a type that are made of objects which refer to it. */
export const listMade = (type: ModelType): readonly Made[] =>
  listVisible(type).flatMap((property) => {
    const { computed } = property;
    if (!isAggregate(computed) || computed.by === undefined) return [];
    return [{ property, computed: { ...computed, by: computed.by } }];
  });

/** Returns the property that is added or compared; null where objects themselves are counted. */
export function findRead({ computed: { of } }: Made, source: ModelType): ModelProperty | null {
  return source.properties.find(({ name }) => name === of) ?? null;
}

/** Returns the value that these objects give, which all refer to one. */
export function makeOf(made: Made, source: ModelType, objects: readonly JsonMap[]): Json {
  const { property, computed } = made;
  const { kind, where = [] } = computed;
  const of = findRead(made, source);
  const parts = objects.map((one) => partOf({ of, where }, one)).filter((part) => part !== null);
  switch (kind) {
    case 'count':
      return of === null ? parts.length : new Set(parts.map((part) => JSON.stringify(part))).size;
    case 'sum': {
      const sum = parts.reduce((all, part) => addExact(all, exactOf(part)), ZERO);
      return exactValue(sum, property.kind) as Json;
    }
    default: {
      const inOrder = parts.toSorted((a, b) => Number(isBefore(property, b, a)) * 2 - 1);
      return (inOrder.at(kind === 'min' ? 0 : -1) ?? null) as Json;
    }
  }
}
