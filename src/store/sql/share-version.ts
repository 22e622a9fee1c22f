import type { TableTexts, TableWriter } from './table-texts.js';

/**
 * Tells servers of principals who may reach other accounts once the transaction is committed. It
 * has to be the last statement: transactions of all accounts wait for each other here, and one that
 * waited for more meanwhile could wait for one that waits for it.
 */
export async function tellMoved(
  connection: TableWriter,
  { raiseShareVersion }: Pick<TableTexts, 'raiseShareVersion'>,
  principals: ReadonlySet<string>,
): Promise<void> {
  if (principals.size > 0) await connection.write(raiseShareVersion);
}
