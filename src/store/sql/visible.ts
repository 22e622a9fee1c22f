import type { View } from '../port.js';
import { ownScopes, principalsOf } from './access-records.js';
import type { SqlContext } from './dialect-port.js';
import { type Fragment, sql } from './fragment.js';

/** Returns the condition that an object has a scope of the view's user. */
export function isVisible({ type, accountId, dialect }: SqlContext, view: View): Fragment {
  const own = JSON.stringify(ownScopes(view));
  const principals = dialect.elements(JSON.stringify(principalsOf(view)), 'string');
  const granted = sql`SELECT "scope" FROM "JmapGrant"
 WHERE "accountId" = ${accountId} AND "principalId" IN (${principals})`;
  return sql`EXISTS (SELECT 1 FROM "JmapScope" AS "_s" WHERE "_s"."accountId" = ${accountId}
 AND "_s"."type" = ${type.table} AND "_s"."objectId" = "id" AND NOT "_s"."gone"
 AND ("_s"."scope" IN (${dialect.elements(own, 'string')}) OR "_s"."scope" IN (${granted})))`;
}
