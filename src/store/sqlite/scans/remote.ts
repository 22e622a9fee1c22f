import { checkDeadline } from '../../../database/sqlite/deadline.js';
import type { Trace } from '../../port.js';
import { type Fragment, render } from '../../sql/fragment.js';
import type { Row, RowTaker } from '../../sql/objects.js';
import { sqlite } from '../dialect.js';
import type { Parameter, Reader } from '../reader.js';
import type { ReadingThread } from './thread.js';

export interface RemoteOptions {
  readonly deadline: number;
  readonly trace: Trace | undefined;
  readonly onStatement: ((sql: string) => void) | undefined;
}

/** The connection of another thread, for one work. */
export class RemoteReader implements Reader {
  readonly #thread: ReadingThread;
  readonly #options: RemoteOptions;

  constructor(thread: ReadingThread, options: RemoteOptions) {
    this.#thread = thread;
    this.#options = options;
  }

  all(text: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#ask(text, parameters, Number.POSITIVE_INFINITY);
  }

  query(fragment: Fragment): Promise<readonly Row[]> {
    const text = render(fragment, sqlite.placeholder);
    return this.all(text, ...(fragment.values as readonly Parameter[]));
  }

  async each(text: string, parameters: readonly Parameter[], rows: RowTaker): Promise<void> {
    for (const row of await this.#ask(text, parameters, rows.maxOctets)) rows.take(row);
  }

  check(): void {
    checkDeadline(this.#options.deadline);
  }

  async #ask(
    text: string,
    parameters: readonly Parameter[],
    maxOctets: number,
  ): Promise<readonly Row[]> {
    const { deadline, trace, onStatement } = this.#options;
    onStatement?.(text);
    const told = trace?.asked({ sql: text, parameters, inThread: true });
    try {
      const left = deadline - performance.now();
      const { rows } = await this.#thread.ask({ text, parameters, maxOctets, left });
      told?.(rows.length);
      return rows;
    } catch (error) {
      told?.(null);
      throw error;
    }
  }
}
