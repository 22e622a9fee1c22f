import type { Slices } from '../../runtime/slices.js';
import type { Snapshot } from '../../store/port.js';
import { MAX_IDS } from '../many.js';

/**
 * The blobs that the user of a call may name on objects. Looks each id up once, in the transaction
 * that will refer to it: no collection comes between.
 */
export class KnownBlobs {
  readonly #snapshot: Snapshot;
  readonly #viewer: string;
  readonly #slices: Slices;
  readonly #known = new Map<string, boolean>();

  constructor(snapshot: Snapshot, viewer: string, slices: Slices) {
    this.#snapshot = snapshot;
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
      for (const { id } of await this.#snapshot.blobs(some, this.#viewer))
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

  /** Notes a blob of the user's whose row the transaction is going to insert. */
  add(id: string): void {
    this.#known.set(id, true);
  }
}
