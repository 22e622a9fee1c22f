import type { DataTypeDefinition, FilterDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPlan, View } from '../../store/port.js';
import { indexOf } from '../type-index.js';

/** Returns a plan that finds what a view has. */
export function planOfView(plan: QueryPlan, view: View): QueryPlan {
  return { ...plan, filter: both({ kind: 'visible', view }, plan.filter) };
}

/**
 * Returns whether the changes of a result can be told. Filters and sorts read stored columns of
 * their own row. Trees and groups depend on other objects, and the user may not see all of those.
 */
export function tellsChanges({
  plan,
  view,
}: {
  readonly plan: QueryPlan;
  readonly view: View | null;
}): boolean {
  return view === null || plan.shape === undefined;
}

/** Returns a plan that finds objects of a view by their ids. */
export function planOfIds(type: DataTypeDefinition, view: View, ids: readonly string[]): QueryPlan {
  return { filter: both({ kind: 'visible', view }, idIsIn(type, ids)), sort: [] };
}

/** Returns the condition that an object has one of the ids. */
export function idIsIn(type: DataTypeDefinition, ids: readonly string[]): FilterNode {
  if (ids.length === 0) return { kind: 'none' };
  const property = indexOf(type).roles.id;
  const { name, column } = property;
  const filter: FilterDefinition = { name, property, operator: 'in', column };
  return { kind: 'condition', filter, value: ids };
}

function both(one: FilterNode, other: FilterNode): FilterNode {
  if (other.kind === 'all') return one;
  return { kind: 'operator', operator: 'AND', conditions: [one, other] };
}
