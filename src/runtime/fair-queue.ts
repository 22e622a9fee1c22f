/**
 * A queue of queues: items of one key leave in order, keys take turns. So one account that writes
 * in bulk delays another's single write by one item, not by its whole backlog.
 */
export class FairQueue<Item> {
  /** A Map keeps the order of insertion: the first key is the one whose turn it is. */
  readonly #lanes = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item whose turn it is. */
  get next(): Item | undefined {
    for (const lane of this.#lanes.values()) return lane[0];
    return undefined;
  }

  /** How many items of the key wait. */
  waiting(key: string): number {
    return this.#lanes.get(key)?.length ?? 0;
  }

  push(key: string, item: Item): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, [item]);
    else lane.push(item);
    this.#size += 1;
  }

  /** The next item, of a key that `may` says true of; its key goes to the end of the turn. */
  shift(may: (key: string) => boolean = () => true): Item | undefined {
    for (const [key, lane] of this.#lanes) {
      if (!may(key)) continue;
      this.#lanes.delete(key);
      const item = lane.shift();
      if (lane.length > 0) this.#lanes.set(key, lane);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes out all items that `leaves` says true of. */
  remove(leaves: (item: Item) => boolean): readonly Item[] {
    const removed: Item[] = [];
    for (const [key, lane] of this.#lanes) {
      const rest = lane.filter((item) => {
        if (!leaves(item)) return true;
        removed.push(item);
        return false;
      });
      if (rest.length === lane.length) continue;
      if (rest.length > 0) this.#lanes.set(key, rest);
      else this.#lanes.delete(key);
    }
    this.#size -= removed.length;
    return removed;
  }
}
