import { principalScope, scopesOfTable } from '../../capability/scopes.js';
import type { FilterNode, View } from '../port.js';
import { ownScopes } from './access-records.js';
import type { SqlContext } from './dialect-port.js';
import { type Fragment, raw, sql } from './fragment.js';
import { isGranted } from './granted.js';

/**
 * Returns the condition that an object has a scope of the view's user. It reads the object's few
 * scopes, not the user's many.
 */
export function isVisible(context: SqlContext, view: View): Fragment {
  const { accountId, dialect } = context;
  const own = scopesWithoutShares(context, view);
  const isOwn = dialect.isAmong(dialect.unindexed(raw('"_s"."scope"')), own);
  const isTheirs = dialect.isAmong(sql`"_g"."principalId"`, principalsOf(view));
  const parts = { account: sql`${accountId}`, isTheirs, scope: sql`"_s"."scope"` };
  const isHeld = view.sharedTables.length > 0 ? sql`(${isOwn} OR ${isGranted(sql, parts)})` : isOwn;
  return sql`EXISTS (SELECT 1 FROM "JmapScope" AS "_s"
 WHERE ${isOfType(context)} AND "_s"."objectId" = "id" AND ${isHeld})`;
}

/**
 * Returns a SELECT `"_id"` of the objects that the view has, each once. It reads the part of the
 * index that each scope of the user has.
 */
export function visibleIds(context: SqlContext, view: View): Fragment {
  const id = context.dialect.unindexed(raw('"_s"."objectId"'));
  return sql`SELECT DISTINCT ${id} AS "_id" ${heldRows(context, view)}`;
}

/**
 * Returns a FROM of the rows `"_s"` of JmapScope that the view has: of an object one for each scope
 * of the user.
 */
export function heldRows(context: SqlContext, view: View): Fragment {
  const isHeld = context.dialect.isAmong(sql`"_s"."scope"`, heldScopes(context, view));
  return sql`FROM "JmapScope" AS "_s" WHERE ${isOfType(context)} AND ${isHeld}`;
}

function isOfType({ type, accountId }: SqlContext): Fragment {
  return sql`"_s"."accountId" = ${accountId} AND "_s"."type" = ${type.table} AND NOT "_s"."gone"`;
}

/** Returns a SELECT of the scopes that the view's user has. */
function heldScopes(context: SqlContext, view: View): Fragment {
  const { accountId, dialect } = context;
  const own = scopesWithoutShares(context, view);
  const [first, ...rest] = view.sharedTables.map((table) => {
    const [begin, end] = scopesOfTable(table);
    return sql`("scope" >= ${begin} AND "scope" < ${end})`;
  });
  if (first === undefined) return own;
  const isShared = rest.reduce((any, range) => sql`${any} OR ${range}`, first);
  const isTheirs = dialect.isAmong(sql`"principalId"`, principalsOf(view));
  return sql`${own} UNION ALL SELECT "scope" FROM "JmapGrant"
 WHERE "accountId" = ${accountId} AND ${isTheirs} AND (${isShared})`;
}

/** Returns a SELECT of the scopes that a view's user has by itself and by its groups. */
function scopesWithoutShares({ dialect }: SqlContext, view: View): Fragment {
  const own = dialect.elements(JSON.stringify(ownScopes(view)), 'string');
  const prefix = raw(`'${principalScope('')}'`);
  return sql`${own} UNION ALL SELECT ${prefix} || "groupId" FROM "JmapMember"
 WHERE "userId" = ${view.userId}`;
}

/** Returns a SELECT of those whose shares count for a view: its user, and the user's groups. */
function principalsOf({ userId }: View): Fragment {
  return sql`SELECT CAST(${userId} AS TEXT) UNION ALL SELECT "groupId" FROM "JmapMember"
 WHERE "userId" = ${userId}`;
}

/** Returns the view that a filter is limited to, and the rest of the filter; null for none. */
export function splitView(
  filter: FilterNode,
): { readonly view: View; readonly rest: FilterNode } | null {
  if (filter.kind === 'visible') return { view: filter.view, rest: { kind: 'all' } };
  if (filter.kind !== 'operator' || filter.operator !== 'AND') return null;
  const [first, second, ...others] = filter.conditions;
  if (first?.kind !== 'visible' || second === undefined || others.length > 0) return null;
  return { view: first.view, rest: second };
}
