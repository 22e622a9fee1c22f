import type { TypeIndex } from '../type-index.js';
import type { PlannedCreate } from './plan.js';
import { referredIds } from './reference-values.js';

/**
 * D13: creates that refer to one another in a circle, or to such, can't be put in any order; each is
 * told. The ids of this call can't be known to a client, so an id of them was a creation id.
 */
export function refuseCycles(index: TypeIndex, creates: ReadonlyMap<string, PlannedCreate>): void {
  const waiting = new Map<string, Waiting>();
  const dependents = new Map<string, Waiting[]>();
  const own = new Set([...creates.values()].map(({ birth }) => birth.id));
  for (const create of creates.values()) {
    const on: Waits = [];
    for (const property of index.references) {
      for (const id of referredIds(property, create.draft.values[property.name])) {
        if (own.has(id)) on.push({ property: property.name, id });
      }
    }
    const one = { create, on, left: on.length };
    waiting.set(create.birth.id, one);
    for (const { id } of on) {
      const list = dependents.get(id);
      if (list === undefined) dependents.set(id, [one]);
      else list.push(one);
    }
  }
  const free = [...waiting].filter(([, { left }]) => left === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    waiting.delete(id);
    for (const dependent of dependents.get(id) ?? []) {
      dependent.left -= 1;
      if (dependent.left === 0) free.push(dependent.create.birth.id);
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

/** A create that can't be placed before those that it refers to. */
interface Waiting {
  readonly create: PlannedCreate;
  readonly on: Waits;
  left: number;
}
