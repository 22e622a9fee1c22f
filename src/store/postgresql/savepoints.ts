/**
 * The savepoints of works that share a transaction: one before a work's first write, so that it can be undone by
 * itself. Each has a name of its own: where one could not be made, nothing goes back to an earlier one.
 */
export class Savepoints {
  /** The one that the running work has or will have; none where it is the first. */
  #wanted: number | undefined;
  /** The one that there is. */
  #made: number | undefined;

  /** The next work begins. */
  enter(savepoint: number | undefined): void {
    this.#wanted = savepoint;
  }

  /** What has to be sent so that the running work has its savepoint. */
  make(): readonly string[] {
    if (this.#wanted === undefined || this.#made === this.#wanted) return [];
    const release = this.#made === undefined ? [] : [`RELEASE w${this.#made}`];
    this.#made = this.#wanted;
    return [...release, `SAVEPOINT w${this.#made}`];
  }

  /** What undoes the running work; null where it has no savepoint. */
  undo(): string | null {
    if (this.#wanted === undefined || this.#made !== this.#wanted) return null;
    return `ROLLBACK TO w${this.#made}`;
  }
}
