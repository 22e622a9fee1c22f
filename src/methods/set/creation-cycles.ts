import type { TypeIndex } from '../type-index.js';
import type { PlannedCreate } from './plan.js';
import { referredIds } from './reference-values.js';

/**
 * D13: creates that refer to one another in a circle, or to such, can't be put in any order; each is
 * told. The ids of this call can't be known to a client, so an id of them was a creation id.
 */
export function refuseCycles(index: TypeIndex, creates: ReadonlyMap<string, PlannedCreate>): void {
  const waiting = new Map<string, { readonly create: PlannedCreate; readonly on: Waits }>();
  const own = new Set([...creates.values()].map(({ birth }) => birth.id));
  for (const create of creates.values()) {
    const on: Waits = [];
    for (const property of index.references) {
      for (const id of referredIds(property, create.draft.values[property.name])) {
        if (own.has(id)) on.push({ property: property.name, id });
      }
    }
    if (on.length > 0) waiting.set(create.birth.id, { create, on });
  }
  for (let placed = true; placed; ) {
    placed = false;
    for (const [id, { on }] of waiting) {
      if (on.some((wait) => waiting.has(wait.id))) continue;
      waiting.delete(id);
      placed = true;
    }
  }
  for (const { create, on } of waiting.values()) {
    for (const { property, id } of on) {
      if (!waiting.has(id)) continue;
      create.draft.problems.add(property, 'is part of a circle of creation references');
    }
  }
}

type Waits = { readonly property: string; readonly id: string }[];
