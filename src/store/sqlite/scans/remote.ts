import { checkDeadline } from '../../../database/sqlite/deadline.js';
import { type Fragment, render } from '../../sql/fragment.js';
import type { Row, RowTaker } from '../../sql/objects.js';
import { atLeisure, sqlite } from '../dialect.js';
import type { Parameter, Reader } from '../reader.js';
import type { ReadingThread } from './thread.js';

/** The connection of another thread, for one work. */
export class RemoteReader implements Reader {
  readonly #thread: ReadingThread;
  readonly #deadline: number;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #took: (sql: string, time: number) => void;

  /** `took` hears how many milliseconds statements took. */
  constructor(
    thread: ReadingThread,
    deadline: number,
    onStatement: ((sql: string) => void) | undefined,
    took: (sql: string, time: number) => void,
  ) {
    this.#thread = thread;
    this.#deadline = deadline;
    this.#onStatement = onStatement;
    this.#took = took;
  }

  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#ask(text, parameters, Number.POSITIVE_INFINITY);
  }

  query(fragment: Fragment): Promise<readonly Row[]> {
    return this.all(
      render(fragment, sqlite.placeholder),
      ...(fragment.values as readonly Parameter[]),
    );
  }

  async each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void> {
    for (const row of await this.#ask(text, parameters, rows.maxOctets)) rows.take(row);
  }

  check(): void {
    checkDeadline(this.#deadline);
  }

  async #ask(
    text: string,
    parameters: readonly Parameter[],
    maxOctets: number,
  ): Promise<readonly Row[]> {
    this.#onStatement?.(text);
    const left = this.#deadline - performance.now();
    const { rows, time } = await this.#thread.ask({
      text: atLeisure(text),
      parameters,
      maxOctets,
      left,
    });
    this.#took(text, time);
    return rows;
  }
}
