import type { StatementPlan, Trace } from '../port.js';
import type { Fragment } from '../sql/fragment.js';
import { render } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import { tracedAnswer, tracedRows } from '../traced.js';
import { Connection } from './connection.js';
import { sqlite } from './dialect.js';
import type { Parameter, Reader } from './reader.js';

/** A connection as an explained work has it: statements are those of `base`, prepared there, and told to the trace. */
export class TracedConnection extends Connection {
  readonly #base: Connection;
  readonly #trace: Trace;

  constructor(base: Connection, trace: Trace) {
    super(base.db);
    this.group = base.group;
    this.maxOctets = base.maxOctets;
    this.#base = base;
    this.#trace = trace;
  }

  override all(text: string, ...parameters: readonly Parameter[]): readonly Row[] {
    return tracedRows(this.#trace, text, parameters, () => this.#base.all(text, ...parameters));
  }

  override one(text: string, ...parameters: readonly Parameter[]): Row {
    const run = (): Row => this.#base.one(text, ...parameters);
    return tracedAnswer(this.#trace, text, parameters, run, () => 1);
  }

  override each(text: string, parameters: readonly Parameter[], each: (row: Row) => void): void {
    let rows = 0;
    const take = (row: Row): void => {
      rows += 1;
      each(row);
    };
    const run = (): void => this.#base.each(text, parameters, take);
    tracedAnswer(this.#trace, text, parameters, run, () => rows);
  }

  override *iterate(text: string, parameters: readonly Parameter[]): Generator<Row> {
    const answered = this.#trace.asked({ sql: text, parameters, inThread: false });
    let rows: number | null = null;
    try {
      let count = 0;
      for (const row of this.#base.iterate(text, parameters)) {
        count += 1;
        yield row;
      }
      rows = count;
    } finally {
      answered(rows);
    }
  }

  override runWith(text: string, parameters: readonly Parameter[]): number {
    const run = (): number => this.#base.runWith(text, parameters);
    return tracedAnswer(this.#trace, text, parameters, run, (rows) => rows);
  }
}

/** The same of a reader that answers later, of another thread by default. */
export function tracedReader(reader: Reader, trace: Trace, inThread = true): Reader {
  const told = async <T>(
    sql: string,
    parameters: readonly Parameter[],
    run: () => T | Promise<T>,
    rowsOf: (result: T) => number,
  ): Promise<T> => {
    const answered = trace.asked({ sql, parameters, inThread });
    try {
      const result = await run();
      answered(rowsOf(result));
      return result;
    } catch (error) {
      answered(null);
      throw error;
    }
  };
  const all = (text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> =>
    told(
      text,
      parameters,
      () => reader.all(text, ...parameters),
      (rows) => rows.length,
    );
  return {
    all,
    query: (fragment: Fragment) =>
      all(render(fragment, sqlite.placeholder), ...(fragment.values as readonly Parameter[])),
    each: (text, parameters, each, maxOctets) => {
      let rows = 0;
      const take = (row: Row): void => {
        rows += 1;
        each(row);
      };
      const run = (): void | Promise<void> => reader.each(text, parameters, take, maxOctets);
      return told(text, parameters, run, () => rows);
    },
    admit: (octets) => reader.admit(octets),
    check: () => reader.check(),
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
