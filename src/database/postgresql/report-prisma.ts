import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { openPool, type Pool } from './pool.js';
import { withTimes } from './prisma-times.js';

/** Connections of reports. */
const SIZE = 4;

/** The role of a report's connection may write, so PostgreSQL refuses it nothing for good. */
export class WritingRoleError extends Error {
  override readonly name = 'WritingRoleError';
}

/**
 * Returns a driver adapter for reports. Its connections begin read-only transactions, which keeps
 * mistakes out and which a client can undo (`SET`). So it also requires a role that may not write,
 * unless `mayWrite`. Rejects with WritingRoleError.
 */
export async function reportAdapter(
  url: string,
  mayWrite: boolean,
): Promise<SqlDriverAdapterFactory> {
  const pool = openPool({ url, size: SIZE, readOnly: true });
  try {
    if (!mayWrite) await refuseWriter(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return withTimes(new PrismaPg(pool, { disposeExternalPool: true }));
}

/**
 * A role that the connection has or may become, and that may write a table beside JmapAccount, or
 * one column of it.
 */
const WRITER = `SELECT r.rolname AS "role", session_user AS "user"
FROM pg_class c, pg_roles r
WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('"JmapAccount"'))
  AND c.relkind IN ('r', 'p')
  AND pg_has_role(session_user, r.oid, 'MEMBER')
  AND (has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE')
    OR has_table_privilege(r.oid, c.oid, 'DELETE, TRUNCATE'))
ORDER BY r.rolname <> session_user
LIMIT 1`;

async function refuseWriter(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ role: string; user: string }>(WRITER);
  const [writer] = rows;
  if (writer === undefined) return;
  const { role, user } = writer;
  const which = role === user ? `The role ${user}` : `The role ${user}, by its role ${role},`;
  throw new WritingRoleError(
    `${which} may write: PostgreSQL would refuse nothing for good. Make a role that only ` +
      "reads (CREATE ROLE reports LOGIN PASSWORD '...'; GRANT pg_read_all_data TO reports;) and " +
      'connect as that. Or pass mayWrite: true: then connections begin read-only, and SET can ' +
      'undo that.',
  );
}
