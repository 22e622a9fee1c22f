import { inSlices } from '../../protocol/slices.js';
import type { Fragment } from '../sql/fragment.js';
import type { Row } from '../sql/objects.js';
import type { Connection } from './connection.js';
import type { Parameter, Reader } from './reader.js';

/**
 * Reads on a connection that one work has for itself, such as the writer's while it runs the work.
 * Between rows of a long answer the event loop serves others; the transaction stays open.
 */
export class GradualReader implements Reader {
  readonly #connection: Connection;
  readonly #isUrgent: boolean;
  readonly #running = new Set<Promise<void>>();
  #hasEnded = false;

  /** `isUrgent` where others wait for the transaction. */
  constructor(connection: Connection, isUrgent = false) {
    this.#connection = connection;
    this.#isUrgent = isUrgent;
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
    const slices = inSlices(() => this.check(), this.#isUrgent);
    for (const row of this.#connection.iterate(text, parameters)) {
      each(row);
      if (slices.isOver()) await slices.next();
      if (this.#hasEnded) return;
    }
  }
}
