import { inSlices } from '../../protocol/slices.js';
import type { Fragment } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import type { Connection } from './connection.js';
import type { Parameter, Reader } from './reader.js';

/**
 * Reads on a connection that one work has for itself: between rows of a long answer the event loop
 * serves others, while the transaction, and so the snapshot, stays open.
 */
export class GradualReader implements Reader {
  readonly #connection: Connection;
  readonly #running = new Set<Promise<void>>();
  #hasEnded = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  all(text: string, ...parameters: readonly Parameter[]): readonly Row[] {
    return this.#connection.all(text, ...parameters);
  }

  query(fragment: Fragment): readonly Row[] {
    return this.#connection.query(fragment);
  }

  each(text: string, parameters: readonly Parameter[], each: (row: Row) => void): Promise<void> {
    const reading = this.#each(text, parameters, each);
    this.#running.add(reading);
    const done = (): void => void this.#running.delete(reading);
    reading.then(done, done);
    return reading;
  }

  check(): void {
    this.#connection.check();
  }

  admit(): void {
    // Nobody else waits for this connection.
  }

  /** Resolves when no statement is open any more, so that the transaction can end. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled(this.#running);
  }

  async #each(
    text: string,
    parameters: readonly Parameter[],
    each: (row: Row) => void,
  ): Promise<void> {
    const slices = inSlices(() => this.check());
    for (const row of this.#connection.iterate(text, parameters)) {
      each(row);
      if (slices.isOver()) await slices.next();
      if (this.#hasEnded) return;
    }
  }
}
