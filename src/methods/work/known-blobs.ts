import type { Slices } from '../../runtime/slices.js';
import type { NewBlob, Transaction } from '../../store/port.js';
import { MAX_IDS } from '../long-calls.js';

/**
 * The blobs that the user of a call may name on objects. Looks each id up once, in the transaction
 * that will refer to it: no collection comes between.
 */
export class KnownBlobs {
  readonly #transaction: Transaction;
  readonly #viewer: string;
  readonly #slices: Slices;
  readonly #known = new Map<string, boolean>();
  readonly #new = new Map<string, NewBlob>();
  /** New blobs that objects name, and that have their rows. */
  readonly inserted: NewBlob[] = [];

  constructor(transaction: Transaction, viewer: string, slices: Slices) {
    this.#transaction = transaction;
    this.#viewer = viewer;
    this.#slices = slices;
  }

  /** One statement for all that are not known yet, but for very many. */
  async lookUp(ids: Iterable<string>): Promise<void> {
    const unknown = new Set<string>();
    for (const id of ids) if (!this.#known.has(id)) unknown.add(id);
    const all = [...unknown];
    for (let begin = 0; begin < all.length; begin += MAX_IDS) {
      if (this.#slices.isOver()) await this.#slices.next();
      const some = all.slice(begin, begin + MAX_IDS);
      for (const id of some) this.#known.set(id, false);
      for (const { id } of await this.#transaction.blobs(some, this.#viewer))
        this.#known.set(id, true);
    }
  }

  /**
   * For an id that was looked up: the account has such a blob, and the user can see it (RFC 8620
   * 6.1).
   */
  isUsable(id: string): boolean {
    return this.#known.get(id) === true;
  }

  /** Notes a blob of the user's that gets its row once an object names it. */
  addNew(blob: NewBlob): void {
    this.#known.set(blob.id, true);
    this.#new.set(blob.id, blob);
  }

  /** Gives those of the new blobs that are among `ids` their rows. */
  async insertNew(ids: ReadonlySet<string>): Promise<void> {
    const named = [...this.#new.values()].filter(({ id }) => ids.has(id));
    if (named.length === 0) return;
    await this.#transaction.insertBlobs(named);
    for (const { id } of named) this.#new.delete(id);
    this.inserted.push(...named);
  }
}
