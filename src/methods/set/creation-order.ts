import type { Steps } from '../../runtime/slices.js';
import type { TypeIndex } from '../type-index.js';
import { referredIds } from '../work/named-ids.js';
import { groupsOf } from './circles.js';
import type { PlannedCreate } from './draft.js';

type Creates = readonly PlannedCreate[];

/** What a create needs of others: they come to be before it. */
interface Needs {
  readonly create: PlannedCreate;
  readonly on: readonly { readonly property: string; readonly id: string }[];
}

/**
 * D13: orders creates (or copies) as they were sent, but each behind those that it refers to. Where two collide, or
 * there are too many, the later one is refused together with those that refer to it. Creates that refer to one another
 * in a circle can't be put in any order: each is told. A client can't know the ids of this call, so an id of them was a
 * creation id.
 */
export function* inOrder(index: TypeIndex, creates: Creates): Steps<Creates> {
  const own = new Set(creates.map(({ birth }) => birth.id));
  const all = new Map<string, Needs>();
  for (const create of creates) {
    yield;
    const on = index.references.flatMap((property) =>
      referredIds(property, create.draft.values[property.name])
        .filter((id) => own.has(id))
        .map((id) => ({ property: property.name, id })),
    );
    all.set(create.birth.id, { create, on });
  }
  if ([...all.values()].every(({ on }) => on.length === 0)) return creates;
  const sorted: PlannedCreate[] = [];
  const needed = (id: string) => all.get(id)?.on.map((need) => need.id) ?? [];
  for (const { ids, isCircle } of groupsOf(own, needed)) {
    for (const id of ids) {
      const needs = all.get(id);
      if (needs === undefined) continue;
      sorted.push(needs.create);
      if (isCircle) refuseCircle(needs, ids);
    }
  }
  return sorted;
}

function refuseCircle({ create, on }: Needs, circle: ReadonlySet<string>): void {
  for (const { property, id } of on) {
    if (circle.has(id))
      create.draft.problems.add(property, 'is part of a circle of creation references');
  }
}
