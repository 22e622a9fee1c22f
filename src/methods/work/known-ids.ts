import type { Slices } from '../../runtime/slices.js';
import type { BlobView, NewBlob, Transaction } from '../../store/port.js';

/** Ids that one statement looks for: on SQLite it takes about 5 ms, of the 8 that a slice lasts. */
const MAX_IDS = 10_000;

/** The ids that a transaction's database has; it asks for each once. */
export class KnownIds {
  /** Returns the members of `ids` that the database has. */
  readonly #find: (ids: readonly string[]) => Promise<Iterable<string>>;
  readonly #slices: Slices;
  readonly #known = new Map<string, boolean>();

  constructor(find: (ids: readonly string[]) => Promise<Iterable<string>>, slices: Slices) {
    this.#find = find;
    this.#slices = slices;
  }

  /** One statement for all that are not known yet, but for very many. */
  async lookUp(ids: Iterable<string>): Promise<void> {
    const unknown = [...ids].filter((id) => !this.#known.has(id));
    for (let begin = 0; begin < unknown.length; begin += MAX_IDS) {
      if (this.#slices.isOver()) await this.#slices.next();
      const some = unknown.slice(begin, begin + MAX_IDS);
      for (const id of some) this.#known.set(id, false);
      for (const id of await this.#find(some)) this.#known.set(id, true);
    }
  }

  /** Returns true for an id that was looked up, and is there. */
  has(id: string): boolean {
    return this.#known.get(id) === true;
  }

  isLookedUp(id: string): boolean {
    return this.#known.has(id);
  }

  add(id: string): void {
    this.#known.set(id, true);
  }
}

/** Returns the principals that a user may share objects with; null: all but the owner. */
export function knownPrincipals(
  transaction: Transaction,
  slices: Slices,
  viewer: string | null,
): KnownIds {
  const find = async (ids: readonly string[]) => {
    if (viewer === null) return transaction.existingPrincipals(ids);
    // In this order, users out of view cost as many statements as none.
    return transaction.existingPrincipals(await transaction.principals.knownAmong(viewer, ids));
  };
  return new KnownIds(find, slices);
}

/** A user who names blobs on objects. */
export interface BlobViewer {
  readonly userId: string;
  /** Null: the user sees all objects. */
  readonly part: BlobView | null;
}

/**
 * The account's blobs that the user of a call can see (RFC 8620 6.1), and so may name on objects.
 * The transaction that will refer to them looks them up: no collection comes between.
 */
export class KnownBlobs extends KnownIds {
  readonly #transaction: Transaction;
  readonly #new = new Map<string, NewBlob>();
  /** New blobs that objects name, and that have their rows. */
  readonly inserted: NewBlob[] = [];

  constructor(transaction: Transaction, viewer: BlobViewer | null, slices: Slices) {
    const find = async (ids: readonly string[]) =>
      (await transaction.blobs(ids, viewer?.userId, viewer?.part)).map(({ id }) => id);
    super(find, slices);
    this.#transaction = transaction;
  }

  /** Notes a blob of the user's that gets its row once an object names it. */
  addNew(blob: NewBlob): void {
    this.add(blob.id);
    this.#new.set(blob.id, blob);
  }

  /** Returns a new blob that has no row yet. */
  newBlob(id: string): NewBlob | undefined {
    return this.#new.get(id);
  }

  /** Gives those of the new blobs that are among `ids` their rows. */
  async insertNew(ids: ReadonlySet<string>): Promise<void> {
    const blobs = [...this.#new.values()].filter(({ id }) => ids.has(id));
    if (blobs.length === 0) return;
    await this.#transaction.insertBlobs(blobs);
    for (const { id } of blobs) this.#new.delete(id);
    this.inserted.push(...blobs);
  }
}
