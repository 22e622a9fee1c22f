import type { DataTypeDefinition } from '../capability/definition.js';
import type {
  BackfillDatabase,
  BackfillRow,
  BackfillRows,
  RowKey,
} from '../database/backfill-database.js';
import { MigrationError } from '../database/migrations.js';
import { isHookFailure } from '../methods/hook-errors.js';
import { MethodError } from '../protocol/errors.js';

/** Objects of a batch: fewer than a call may name. */
const BATCH = 500;

/** Objects of one type and account. */
export interface Batch {
  readonly type: DataTypeDefinition;
  readonly accountId: string;
  readonly ids: readonly string[];
}

/** The objects that a work goes through. */
export interface Walk {
  readonly type: DataTypeDefinition;
  readonly rows: BackfillRows;
  /** Behind this one; all where left out. */
  readonly after?: RowKey | null;
  readonly isIncluded?: (row: BackfillRow) => boolean;
}

/** Batches of one account each, in order of key. */
export async function* batches(
  database: Pick<BackfillDatabase, 'rows'>,
  { type, rows, after = null, isIncluded = () => true }: Walk,
): AsyncIterable<Batch> {
  let last = after;
  for (;;) {
    const page = await database.rows(rows, last, BATCH);
    const end = page.at(-1);
    if (end === undefined) return;
    const byAccount = new Map<string, string[]>();
    for (const row of page) {
      if (!isIncluded(row)) continue;
      const ids = byAccount.get(row.accountId);
      if (ids === undefined) byAccount.set(row.accountId, [row.id]);
      else ids.push(row.id);
    }
    for (const [accountId, ids] of byAccount) yield { type, accountId, ids };
    last = [end.accountId, end.id];
  }
}

/** Runs a work on a batch: on its halves where the objects are too large together. */
export async function inHalves<T>(
  batch: Batch,
  work: (part: Batch) => Promise<T>,
): Promise<readonly T[]> {
  const { ids } = batch;
  try {
    return [await work(batch)];
  } catch (error) {
    const isLarge = error instanceof MethodError && error.type === 'requestTooLarge';
    if (!isLarge || ids.length === 1) throw error;
  }
  const middle = ids.length >> 1;
  const first = await inHalves({ ...batch, ids: ids.slice(0, middle) }, work);
  return [...first, ...(await inHalves({ ...batch, ids: ids.slice(middle) }, work))];
}

/** Returns a failure of a hook file's function as one that names the batch; others as they are. */
export function batchFailure({ type, accountId, ids }: Batch, error: unknown): unknown {
  if (!isHookFailure(error)) return error;
  return new MigrationError(
    `A function failed in account ${accountId}, ${ids[0]} to ${ids.at(-1)} of ${type.name}: ` +
      `${error.message}. Correct the function in the capability's hook file and start again: ` +
      'the server goes on from these objects.',
    { cause: error },
  );
}

/** Returns the key of a batch's last object. */
export function endOf({ accountId, ids }: Batch): RowKey {
  return [accountId, ids.at(-1) ?? ''];
}
