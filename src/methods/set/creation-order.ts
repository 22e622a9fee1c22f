import type { Steps } from '../../runtime/slices.js';
import type { TypeIndex } from '../type-index.js';
import { referredIds } from '../work/reference-values.js';
import type { PlannedCreate } from './draft.js';

type Creates = readonly PlannedCreate[];

/**
 * D13: orders creates (or copies) as they were sent, but each behind those that it refers to. Where two collide, or
 * there are too many, the later one is refused together with those that refer to it. A circle is refused.
 */
export function* inOrder(index: TypeIndex, creates: Creates): Steps<Creates> {
  const waiting = yield* waitingOf(index, creates);
  if ([...waiting.values()].every(({ on }) => on.length === 0)) return creates;
  refuseCircles(waiting);
  const sorted: PlannedCreate[] = [];
  const seen = new Set<string>();
  for (const { birth } of creates) {
    const path = seen.has(birth.id) ? [] : [{ id: birth.id, at: 0 }];
    seen.add(birth.id);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const one = waiting.get(top.id);
      const next = one?.on[top.at]?.id;
      top.at += 1;
      if (next === undefined) {
        if (one !== undefined) sorted.push(one.create);
        path.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        path.push({ id: next, at: 0 });
      }
    }
  }
  return sorted;
}

/** By id, in the order of `creates`. */
function* waitingOf(index: TypeIndex, creates: Creates): Steps<ReadonlyMap<string, Waiting>> {
  const own = new Set(creates.map(({ birth }) => birth.id));
  const all = new Map<string, Waiting>();
  for (const create of creates) {
    yield;
    const on = index.references.flatMap((property) =>
      referredIds(property, create.draft.values[property.name])
        .filter((id) => own.has(id))
        .map((id) => ({ property: property.name, id })),
    );
    all.set(create.birth.id, { create, on, left: on.length });
  }
  return all;
}

/**
 * D13: creates that refer to one another in a circle, or to such, can't be put in any order; each is
 * told. The ids of this call can't be known to a client, so an id of them was a creation id.
 */
function refuseCircles(all: ReadonlyMap<string, Waiting>): void {
  const waiting = new Map(all);
  const dependents = new Map<string, Waiting[]>();
  for (const one of waiting.values()) {
    for (const { id } of one.on) {
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

type Waits = readonly { readonly property: string; readonly id: string }[];

/** A create that can't be placed before those that it refers to. */
interface Waiting {
  readonly create: PlannedCreate;
  readonly on: Waits;
  left: number;
}
