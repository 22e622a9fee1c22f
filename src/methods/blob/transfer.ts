import type { AccountAccess } from '../../accounts/principal.js';
import { BlobMissingError } from '../../blobs/port.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow, NewBlob } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';

/** Blobs whose octets are copied at the same time. */
const PARALLEL = 4;

/**
 * Copies octets from another account into that of the call, each blob under a new id (D23): before
 * a transaction makes their rows, which must not wait for them.
 */
export class BlobTransfer {
  readonly #from: AccountAccess;
  readonly #context: CallContext;
  /** Source id to the new blob. */
  readonly #copies = new Map<string, NewBlob>();
  readonly #kept = new Set<string>();

  constructor(from: AccountAccess, context: CallContext) {
    this.#from = from;
    this.#context = context;
  }

  /**
   * Resolves to the new blobs by source id; those whose octets are gone by now are not among them.
   */
  async copy(rows: readonly BlobRow[]): Promise<ReadonlyMap<string, NewBlob>> {
    const pending = [...rows];
    const worker = async (): Promise<void> => {
      for (let row = pending.shift(); row !== undefined; row = pending.shift()) {
        requireTime(this.#context.deadline);
        await this.#copyOne(row);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
    const failed = workers.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return this.#copies;
  }

  /** Says which of the new blobs have got rows; `discardRest` leaves them. */
  keep(blobs: readonly NewBlob[]): void {
    for (const blob of blobs) this.#kept.add(blob.id);
  }

  /** Removes the octets of copies that have got no row. */
  async discardRest(): Promise<void> {
    const account = accountOf(this.#context);
    for (const { id } of this.#copies.values()) {
      if (!this.#kept.has(id)) await this.#context.services.blobs.delete(account.id, id);
    }
  }

  async #copyOne(row: BlobRow): Promise<void> {
    const { services, request } = this.#context;
    const { id } = services.ids.next('b');
    const from = { accountId: this.#from.id, blobId: row.id };
    try {
      await services.blobs.copy(from, { accountId: accountOf(this.#context).id, blobId: id });
    } catch (error) {
      // Collected since its row was read: it is as gone as if it had never been there.
      if (error instanceof BlobMissingError) return;
      throw error;
    }
    const { type, size } = row;
    this.#copies.set(row.id, { id, type, size, uploaderId: request.principal.userId });
  }
}
