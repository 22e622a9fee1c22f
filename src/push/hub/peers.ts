/** Processes that are remembered. Beyond it somebody makes them up. */
const MOST = 256;

/** The other processes, by what is heard of them. Times are ms of `performance.now()`. */
export class Peers {
  readonly #heardAt = new Map<string, number>();

  get size(): number {
    return this.#heardAt.size;
  }

  /** Notes a sign of life. Returns whether it is the first. */
  heard(origin: string, now: number): boolean {
    const isNew = !this.#heardAt.has(origin);
    if (isNew && this.#heardAt.size >= MOST) return false;
    this.#heardAt.set(origin, now);
    return isNew;
  }

  /** Notes a sign of life of a process that is known. */
  stillThere(origin: string, now: number): void {
    if (this.#heardAt.has(origin)) this.#heardAt.set(origin, now);
  }

  /** Notes a good-bye. Returns whether the process was known. */
  left(origin: string): boolean {
    return this.#heardAt.delete(origin);
  }

  /** Forgets those that have been silent since `before`; returns them. */
  forgetSilent(before: number): readonly string[] {
    const silent = [...this.#heardAt].filter(([, at]) => at < before).map(([origin]) => origin);
    for (const origin of silent) this.#heardAt.delete(origin);
    return silent;
  }

  /** All count as heard now: nobody could be for a while. */
  excuse(now: number): void {
    for (const origin of this.#heardAt.keys()) this.#heardAt.set(origin, now);
  }
}
