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
