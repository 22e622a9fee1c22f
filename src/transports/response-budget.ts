/** So small answers are never cut where MAX_SIZE_RESPONSE is small. */
const LEAST = 256 * 1024 ** 2;

interface Held {
  readonly octets: number;
  readonly cut: () => void;
}

/**
 * The bound on octets of large answers that wait for their readers, the whole process over (D6). An answer is there
 * already when it is counted, so it can't be refused: where there is no room, the oldest answer of the user who holds
 * most is cut off. So nobody who reads slowly fills the memory, or keeps others from their answers.
 */
export class ResponseBudget {
  readonly #total: number;
  /** In order of arrival, for each user. */
  readonly #byUser = new Map<string, Set<Held>>();
  #octets = 0;

  constructor(maxSizeResponse: number) {
    this.#total = Math.max(4 * maxSizeResponse, LEAST);
  }

  /** Counts an answer until the function that comes back is called. `cut` must end its connection. */
  hold(user: string, octets: number, cut: () => void): () => void {
    const held = { octets, cut };
    const all = this.#byUser.get(user);
    if (all === undefined) this.#byUser.set(user, new Set([held]));
    else all.add(held);
    this.#octets += octets;
    while (this.#octets > this.#total && this.#cutOne(held));
    return () => this.#release(user, held);
  }

  get octets(): number {
    return this.#octets;
  }

  /** False where there is none but `newest`. */
  #cutOne(newest: Held): boolean {
    let most = -1;
    let victim: { readonly user: string; readonly held: Held } | null = null;
    for (const [user, all] of this.#byUser) {
      let sum = 0;
      let oldest: Held | null = null;
      for (const held of all) {
        sum += held.octets;
        if (held !== newest) oldest ??= held;
      }
      if (oldest !== null && sum > most) {
        most = sum;
        victim = { user, held: oldest };
      }
    }
    if (victim === null) return false;
    this.#release(victim.user, victim.held);
    victim.held.cut();
    return true;
  }

  #release(user: string, held: Held): void {
    const all = this.#byUser.get(user);
    if (all?.delete(held) !== true) return;
    this.#octets -= held.octets;
    if (all.size === 0) this.#byUser.delete(user);
  }
}
