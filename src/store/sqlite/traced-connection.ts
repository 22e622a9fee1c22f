import type { StatementPlan, Trace } from '../port.js';
import type { Answer } from '../sql/engine.js';
import type { Fragment } from '../sql/fragment.js';
import { render } from '../sql/fragment.js';
import type { Row, RowTaker } from '../sql/objects.js';
import { tracedAnswer } from '../traced.js';
import { Connection } from './connection.js';
import { sqlite } from './dialect.js';
import type { Parameter, Reader } from './reader.js';

/** A connection as an explained work has it: statements are those of `base`, prepared there, and told to the trace. */
export class TracedConnection extends Connection {
  readonly #base: Connection;
  readonly #trace: Trace;

  constructor(base: Connection, trace: Trace) {
    super(base.db);
    this.#base = base;
    this.#trace = trace;
  }

  override all(text: string, ...parameters: readonly Parameter[]): readonly Row[] {
    return this.#tell(text, parameters, () => this.#base.all(text, ...parameters), lengthOf);
  }

  override one(text: string, ...parameters: readonly Parameter[]): Row {
    const run = (): Row => this.#base.one(text, ...parameters);
    return this.#tell(text, parameters, run, () => 1);
  }

  override each(text: string, parameters: readonly Parameter[], rows: RowTaker): Answer<void> {
    const counted = countRows(rows);
    const run = (): Answer<void> => this.#base.each(text, parameters, counted);
    return this.#tell(text, parameters, run, () => counted.count);
  }

  override endReads(): void {
    this.#base.endReads();
  }

  override runWith(text: string, parameters: readonly Parameter[]): number {
    const run = (): number => this.#base.runWith(text, parameters);
    return this.#tell(text, parameters, run, (rows) => rows);
  }

  #tell<R>(
    sql: string,
    parameters: readonly Parameter[],
    run: () => R,
    rowsOf: (answer: Awaited<R>) => number,
  ): R {
    return tracedAnswer(this.#trace, { sql, parameters, inThread: false }, run, rowsOf);
  }
}

/** The same of a reader of another thread. */
export function tracedReader(reader: Reader, trace: Trace): Reader {
  const all = (sql: string, ...parameters: readonly Parameter[]): Answer<readonly Row[]> => {
    const run = (): Answer<readonly Row[]> => reader.all(sql, ...parameters);
    return tracedAnswer(trace, { sql, parameters, inThread: true }, run, lengthOf);
  };
  return {
    all,
    query: (fragment: Fragment) =>
      all(render(fragment, sqlite.placeholder), ...(fragment.values as readonly Parameter[])),
    each: (sql, parameters, rows) => {
      const counted = countRows(rows);
      const run = (): Answer<void> => reader.each(sql, parameters, counted);
      return tracedAnswer(trace, { sql, parameters, inThread: true }, run, () => counted.count);
    },
    check: () => reader.check(),
  };
}

function lengthOf({ length }: readonly unknown[]): number {
  return length;
}

function countRows(rows: RowTaker): RowTaker & { readonly count: number } {
  let count = 0;
  return {
    ...rows,
    get count() {
      return count;
    },
    take: (row) => {
      count += 1;
      rows.take(row);
    },
  };
}

/** SQLite's own words: `SEARCH Todo USING PRIMARY KEY (accountId=? AND id=?)`. */
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
