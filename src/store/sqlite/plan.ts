import type { StatementPlan } from '../port.js';
import type { Row } from '../sql/row-codec.js';

/** Returns a plan in SQLite's own words: `SEARCH Todo USING PRIMARY KEY (accountId=? AND id=?)`. */
export function planOf(rows: readonly Row[]): StatementPlan {
  const depths = new Map<unknown, number>();
  const steps: string[] = [];
  const indexes = new Set<string>();
  for (const [id, parent, , detail] of rows) {
    const depth = depths.get(parent) ?? 0;
    depths.set(id, depth + 1);
    const step = String(detail);
    steps.push('  '.repeat(depth) + step);
    const [, automatic, index, key] =
      /USING (AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?(?:INDEX (\S+)|((?:INTEGER )?PRIMARY KEY))/.exec(
        step,
      ) ?? [];
    const name = automatic === undefined ? (index ?? key) : 'AUTOMATIC';
    if (name !== undefined) indexes.add(name);
  }
  return { steps, indexes: [...indexes] };
}
