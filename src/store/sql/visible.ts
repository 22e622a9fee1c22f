import type { FilterNode, View } from '../port.js';
import { ownScopes, principalsOf } from './access-records.js';
import type { SqlContext } from './dialect-port.js';
import { type Fragment, sql } from './fragment.js';

/** Returns the condition that an object has a scope of the view's user. */
export function isVisible(context: SqlContext, view: View): Fragment {
  return sql`EXISTS (SELECT 1 FROM "JmapScope" AS "_s"
 WHERE ${isHeld(context, view)} AND "_s"."objectId" = "id")`;
}

/** Returns a SELECT `"_id"` of the objects that the view has, each once. */
export function visibleIds(context: SqlContext, view: View): Fragment {
  return sql`SELECT DISTINCT "_s"."objectId" AS "_id" FROM "JmapScope" AS "_s"
 WHERE ${isHeld(context, view)}`;
}

/** Returns the condition that the user has the scope of a row "_s". */
function isHeld({ type, accountId, dialect }: SqlContext, view: View): Fragment {
  const own = dialect.elements(JSON.stringify(ownScopes(view)), 'string');
  const principals = dialect.elements(JSON.stringify(principalsOf(view)), 'string');
  const granted = sql`SELECT "scope" FROM "JmapGrant"
 WHERE "accountId" = ${accountId} AND "principalId" IN (${principals})`;
  return sql`"_s"."accountId" = ${accountId} AND "_s"."type" = ${type.table} AND NOT "_s"."gone"
 AND "_s"."scope" IN (${own} UNION ${granted})`;
}

/** Returns the view that a filter is limited to, and the rest of the filter; null for none. */
export function viewIn(
  filter: FilterNode,
): { readonly view: View; readonly rest: FilterNode } | null {
  if (filter.kind === 'visible') return { view: filter.view, rest: { kind: 'all' } };
  if (filter.kind !== 'operator' || filter.operator !== 'AND') return null;
  const [first, ...conditions] = filter.conditions;
  if (first?.kind !== 'visible') return null;
  return { view: first.view, rest: { ...filter, conditions } };
}
