/** Calls that go on until told to stop; how many have been answered. */
export class Clients {
  answered = 0;
  readonly #running: Promise<void>[] = [];
  #stopped = false;

  go(call: (n: number) => Promise<unknown>): void {
    const loop = async (): Promise<void> => {
      for (let n = 1; !this.#stopped; n += 1) {
        await call(n);
        this.answered += 1;
      }
    };
    this.#running.push(loop());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }
}

/**
 * Returns, of all runs of `length` steps of some work, the share beside which no call was answered;
 * `answered` counts the calls beside each step. It is near 1 where the work keeps calls out, else
 * near 0 (but not 0 where a machine does much else).
 */
export function quietShare(answered: readonly number[], length: number): number {
  const runs = answered.slice(0, -length).map((_, n) => answered.slice(n, n + length));
  return runs.filter((run) => run.every((calls) => calls === 0)).length / Math.max(1, runs.length);
}
