import type { ShadowTransform } from '../capability/definition.js';
import { parseDate } from '../protocol/dates.js';
import { casemapKey, fold } from '../text/index.js';

/**
 * What a migration leaves to the server: columns that only its functions can compute, for rows that
 * exist (`backfill.json` beside `migration.sql`). It runs after the SQL, in batches, each in a
 * transaction with its progress, so that a run that is cut short goes on where it stood.
 */

export interface BackfillColumn {
  readonly column: string;
  readonly from: string;
  readonly transform: ShadowTransform;
}

export interface BackfillStep {
  readonly table: string;
  readonly columns: readonly BackfillColumn[];
}

/** Where a backfill stands: the step, and the key of the last row that it did. */
export interface BackfillPosition {
  readonly step: number;
  readonly after: RowKey | null;
}

export type RowKey = readonly [accountId: string, id: string];

/** A row: its key, then the values of the columns that were asked for. */
export interface BackfillRow {
  readonly key: RowKey;
  readonly values: readonly unknown[];
}

/** What a database does for a backfill. */
export interface BackfillDriver {
  /** Rows behind `after` in order of key, at most `limit`. */
  select(
    table: string,
    columns: readonly string[],
    after: RowKey | null,
    limit: number,
  ): Promise<readonly BackfillRow[]>;
  /**
   * One transaction: sets the columns of each row (values in the order of `columns`; a row whose
   * sources have changed since it was read keeps what it has) and keeps `position`.
   */
  update(
    step: BackfillStep,
    rows: readonly {
      readonly row: BackfillRow;
      readonly values: readonly (string | number | null)[];
    }[],
    position: BackfillPosition,
  ): Promise<void>;
}

const BATCH = 1000;

/** Key of JmapMeta where a migration's backfill keeps its position until it is done. */
export function progressKey(migration: string): string {
  return `backfill:${migration}`;
}

/** Fills what is left from `start` on; `tell` hears of each batch how many rows are done by now. */
export async function runBackfill(
  driver: BackfillDriver,
  steps: readonly BackfillStep[],
  start: BackfillPosition,
  tell: (table: string, rows: number) => void = () => undefined,
): Promise<void> {
  let { after } = start;
  for (const [index, step] of steps.entries()) {
    if (index < start.step) continue;
    if (index > start.step) after = null;
    const sources = [...new Set(step.columns.map(({ from }) => from))];
    let done = 0;
    for (;;) {
      const rows = await driver.select(step.table, sources, after, BATCH);
      const last = rows.at(-1);
      if (last === undefined) break;
      const filled = rows.map((row) => ({
        row,
        values: step.columns.map(({ from, transform }) =>
          transformed(row.values[sources.indexOf(from)], transform),
        ),
      }));
      after = last.key;
      await driver.update(step, filled, { step: index, after });
      done += rows.length;
      tell(step.table, done);
    }
  }
}

function transformed(value: unknown, transform: ShadowTransform): string | number | null {
  if (value === null || value === undefined) return null;
  const text = String(value);
  switch (transform) {
    case 'fold':
      return fold(text);
    case 'casemap':
      return casemapKey(text);
    case 'instant':
      return parseDate(text);
  }
}
