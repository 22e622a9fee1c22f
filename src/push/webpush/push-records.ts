import type { FailureNote, PushRow, PushRows, SuccessNote } from './sender-ports.js';

/**
 * Notes that can't be written are written with the next ones, for so many ms. Another process may
 * serve the subscriptions by then, and its notes are newer.
 */
const LONGEST_KEPT = 20_000;

/**
 * Writes how pushes went, in batches: a write for each push would cost more than the push. A kill
 * loses the last batch, so that its receivers are told once more.
 */
export class PushNotes {
  readonly #rows: Pick<PushRows, 'noteSuccesses' | 'noteFailures'>;
  readonly #pause: number;
  readonly #onError: (error: unknown) => void;
  #successes = new Map<string, SuccessNote>();
  #failures = new Map<string, FailureNote>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** When the first write failed of those that fail now, of `performance.now()`. */
  #failingSince: number | null = null;
  #isClosed = false;

  /** `pause`: between two batches, ms. */
  constructor(
    rows: Pick<PushRows, 'noteSuccesses' | 'noteFailures'>,
    pause: number,
    onError: (error: unknown) => void,
  ) {
    this.#rows = rows;
    this.#pause = pause;
    this.#onError = onError;
  }

  addSuccess(note: SuccessNote): void {
    if (this.#isClosed) return;
    this.#failures.delete(note.id);
    this.#successes.set(note.id, note);
    this.#schedule();
  }

  addFailure(note: FailureNote): void {
    if (this.#isClosed) return;
    this.#failures.set(note.id, note);
    this.#schedule();
  }

  /** Returns a row with the notes on it that are not in it yet. */
  complete<Row extends PushRow>(row: Row): Row {
    const success = this.#successes.get(row.id);
    const failure = this.#failures.get(row.id);
    const cleared = { failures: 0, firstFailure: null, notBefore: null };
    return {
      ...row,
      ...(success === undefined ? {} : { lastId: success.lastId, ...cleared }),
      ...(failure === undefined
        ? {}
        : {
            failures: failure.failures,
            firstFailure: failure.firstFailure,
            notBefore: failure.notBefore,
          }),
    };
  }

  /** Writes all notes. After a failure they stay. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** Writes all notes, and takes no more. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => void this.flush(), this.#pause).unref();
  }

  async #write(): Promise<void> {
    const [successes, failures] = [[...this.#successes.values()], [...this.#failures.values()]];
    try {
      if (successes.length > 0) await this.#rows.noteSuccesses(successes);
      for (const note of successes)
        if (this.#successes.get(note.id) === note) this.#successes.delete(note.id);
      if (failures.length > 0) await this.#rows.noteFailures(failures);
      for (const note of failures) {
        if (this.#failures.get(note.id) === note) this.#failures.delete(note.id);
      }
      this.#failingSince = null;
    } catch (error) {
      this.#onError(error);
      this.#failingSince ??= performance.now();
      const isLate = performance.now() - this.#failingSince > LONGEST_KEPT;
      if (isLate) for (const notes of [this.#successes, this.#failures]) notes.clear();
      this.#schedule();
    }
  }
}
