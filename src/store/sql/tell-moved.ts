import type { TableTexts, TableWriter } from './table-texts.js';

/** Principals that one statement notes. */
const PRINCIPALS_AT_ONCE = 5000;

/**
 * Tells servers of principals who may reach other accounts once the transaction is committed. It
 * has to come last: transactions of all accounts wait for each other here. One that waited for
 * another lock behind it could wait for a transaction that waits for it.
 */
export async function tellMoved(
  connection: TableWriter,
  { raiseShareVersion, noteMoved }: Pick<TableTexts, 'raiseShareVersion' | 'noteMoved'>,
  principals: ReadonlySet<string>,
): Promise<void> {
  if (principals.size === 0) return;
  await connection.write(raiseShareVersion);
  const rows = Array.from(principals, (id) => [id]);
  for (let at = 0; at < rows.length; at += PRINCIPALS_AT_ONCE)
    await connection.write(noteMoved, JSON.stringify(rows.slice(at, at + PRINCIPALS_AT_ONCE)));
}
