/** Works that are under way, by a key: whoever comes meanwhile waits for the same one. */
export class RunningWorks<T> {
  readonly #running = new Map<string, Promise<T>>();

  share(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const begun = work().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}
