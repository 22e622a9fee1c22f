import type { ReferenceDefinition } from '../../src/capability/definition.js';

const PLACES = Object.freeze({
  single: [],
  list: [{ each: 'item' }],
  set: [{ each: 'key' }],
}) satisfies Readonly<Record<string, ReferenceDefinition['place']>>;

/** How a whole property refers to objects: by an id, a list of ids or a set of ids. */
export interface Whole extends Omit<ReferenceDefinition, 'place'> {
  readonly form: keyof typeof PLACES;
}

/** The references of a property that is one as a whole. */
export function referring({ form, type, onDestroy, acyclic }: Whole): {
  readonly references: readonly ReferenceDefinition[];
} {
  return { references: [{ type, place: PLACES[form], onDestroy, acyclic }] };
}
