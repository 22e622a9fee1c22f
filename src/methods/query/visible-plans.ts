import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type { FilterNode, QueryPlan, View } from '../../store/port.js';
import { indexOf } from '../type-index.js';

/** Returns a plan that finds what a view has. */
export function planOfView(plan: QueryPlan, view: View): QueryPlan {
  return { ...plan, filter: both({ kind: 'visible', view }, plan.filter) };
}

/** Returns a plan that finds objects of a view by their ids. */
export function planOfIds(type: DataTypeDefinition, view: View, ids: readonly string[]): QueryPlan {
  const property = indexOf(type).roles.id as PropertyDefinition;
  const filter = { name: property.name, property, operator: 'in', column: 'id' } as const;
  const isOne = { kind: 'condition', filter, value: ids } as const;
  return { filter: both({ kind: 'visible', view }, isOne), sort: [] };
}

function both(one: FilterNode, other: FilterNode): FilterNode {
  if (other.kind === 'all') return one;
  return { kind: 'operator', operator: 'AND', conditions: [one, other] };
}
