import { type Fragment, render } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import { postgresql } from './dialect.js';
import { composed, type Parameter, prepared, recurring, type Statement } from './statement.js';

/** The statements of storage operations: fixed ones, composed ones, those that write. */
export abstract class Questions {
  /** True where writes need not be waited for: what fails of them spoils the transaction. */
  abstract get pipelined(): boolean;

  /** Runs a statement; resolves to the command's tag. */
  protected abstract run(statement: Statement, take: (row: Row) => void): Promise<string>;

  /** Before anything that writes; null where that need not wait. Rejects where there is no transaction. */
  protected abstract toWrite(): Promise<void> | null;

  /** All rows of a fixed statement, which each connection prepares once. */
  async all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.rows(prepared(text, parameters));
  }

  /** All rows of a composed statement. */
  async query(fragment: Fragment): Promise<readonly Row[]> {
    return this.rows(recurring(fragment));
  }

  /**
   * Sends a fixed statement that writes and gives no rows. Where it fails, so does the transaction, at
   * its end at the latest.
   */
  async write(text: string, ...parameters: readonly Parameter[]): Promise<void> {
    const begun = this.toWrite();
    if (begun !== null) await begun;
    const answer = this.run(prepared(text, parameters), ignore);
    if (this.pipelined) answer.catch(ignore);
    else await answer;
  }

  /** The rows of a fixed statement that writes. */
  async writing(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    const begun = this.toWrite();
    if (begun !== null) await begun;
    return this.all(text, ...parameters);
  }

  /** The number of rows that a composed statement changed. */
  async change(fragment: Fragment): Promise<number> {
    const begun = this.toWrite();
    if (begun !== null) await begun;
    const text = render(fragment, postgresql.placeholder);
    const tag = await this.run(composed(text, fragment.values as readonly Parameter[]), ignore);
    return Number(tag.slice(tag.lastIndexOf(' ') + 1));
  }

  /** Calls `each` for every row as it comes; where that throws, the rest is not kept. */
  async each(statement: Statement, each: (row: Row) => void): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    await this.run(statement, (row) => {
      if (failure !== undefined) return;
      try {
        each(row);
      } catch (error) {
        failure = { error };
      }
    });
    if (failure !== undefined) throw failure.error;
  }

  async rows(statement: Statement): Promise<readonly Row[]> {
    const rows: Row[] = [];
    await this.run(statement, (row) => rows.push(row));
    return rows;
  }
}

function ignore(): void {
  // Nothing that the statement gives is needed.
}
