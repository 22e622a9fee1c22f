import { BlobMissingError, type BlobPlace } from '../../blobs/blob-store.js';
import { UnknownOutcomeError } from '../../protocol/errors.js';
import { emptyObject } from '../../protocol/json.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow, NewBlob } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { Answer, CallContext, CreatedIds } from '../context.js';
import { insertWithin, releaseOctets } from '../quota/unreferenced-blobs.js';
import { blobViewOf } from '../view-of-call.js';

/** Blobs whose octets are copied at the same time. */
const PARALLEL = 4;

/** Reads the rows of those blobs of an account that the user can see, by id. */
export async function visibleBlobs(
  accountId: string,
  ids: ReadonlySet<string>,
  context: CallContext,
): Promise<ReadonlyMap<string, BlobRow>> {
  if (ids.size === 0) return new Map();
  const { principal } = context.request;
  const account = principal.accounts.get(accountId);
  const part = blobViewOf({ ...context, account });
  const rows = await context.services.store.read(accountId, context, (snapshot) =>
    snapshot.blobs([...ids], principal.userId, part),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The blobs that a call makes in its account. Their octets are on disk before the transaction
 * that makes their rows, which must not wait for them.
 */
export class NewBlobs {
  readonly #context: CallContext;
  /** New blobs that have octets but no row. */
  readonly #rowless = new Set<NewBlob>();

  constructor(context: CallContext) {
    this.#context = context;
  }

  /** Has `put` keep octets under a new id and resolve to their number. */
  async write(type: string, put: (place: BlobPlace) => Promise<number>): Promise<NewBlob> {
    const { services, request, deadline } = this.#context;
    requireTime(deadline);
    const { id } = services.ids.next('b');
    const size = await put({ accountId: accountOf(this.#context).id, blobId: id });
    const blob = { id, type, size, uploaderId: request.principal.userId };
    this.#rowless.add(blob);
    return blob;
  }

  /**
   * Copies octets from another account. Resolves to the new blobs by source id; those whose octets
   * are gone by now are not among them.
   */
  async copyFrom(
    accountId: string,
    rows: Iterable<BlobRow>,
  ): Promise<ReadonlyMap<string, NewBlob>> {
    const { blobs } = this.#context.services;
    const copies = new Map<string, NewBlob>();
    const pending = [...rows];
    const worker = async (): Promise<void> => {
      for (let row = pending.shift(); row !== undefined; row = pending.shift()) {
        const { id, type, size } = row;
        const copy = await this.write(type, async (place) => {
          await blobs.copy({ accountId, blobId: id }, place);
          return size;
        }).catch(unlessMissing);
        if (copy !== null) copies.set(id, copy);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
    const failed = workers.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return copies;
  }

  /**
   * Makes the rows of these blobs and room for them, and has the response admitted, in a
   * transaction.
   */
  async insert(
    blobs: readonly NewBlob[],
    response: object,
    createdIds: CreatedIds = [],
  ): Promise<Answer> {
    const context = this.#context;
    if (blobs.length === 0) return context.admit(response);
    const { services } = context;
    const { id: accountId } = accountOf(context);
    const quota = services.registry.unreferencedBlobs;
    const saving = services.store.write(accountId, context, async (transaction) => {
      const evicted = await insertWithin(quota, transaction, blobs);
      return { evicted, answer: await context.admit(response, { createdIds }) };
    });
    const { evicted, answer } = await this.saved(saving);
    this.keep(blobs);
    await releaseOctets(services, accountId, evicted);
    return answer;
  }

  /**
   * Waits for the transaction that makes rows of these blobs. If its outcome is unknown, all octets
   * stay: the sweep takes those without a row.
   */
  async saved<T>(saving: Promise<T>): Promise<T> {
    try {
      return await saving;
    } catch (error) {
      if (error instanceof UnknownOutcomeError) this.#rowless.clear();
      throw error;
    }
  }

  /** Notes that these blobs have got their rows. */
  keep(blobs: Iterable<NewBlob>): void {
    for (const blob of blobs) this.#rowless.delete(blob);
  }

  /** Removes the octets of blobs that have got no row. */
  async discardRowless(): Promise<void> {
    const { id: accountId } = accountOf(this.#context);
    for (const { id } of this.#rowless) await this.#context.services.blobs.delete(accountId, id);
  }
}

/** A blob that was collected since its row was read is as gone as if it had never been there. */
export function unlessMissing(error: unknown): null {
  if (error instanceof BlobMissingError) return null;
  throw error;
}

/** Returns a map for the wire; null for an empty one (5.3). */
export function orNull<T>(entries: ReadonlyMap<string, T>): Readonly<Record<string, T>> | null {
  if (entries.size === 0) return null;
  const object = emptyObject<T>();
  for (const [key, value] of entries) object[key] = value;
  return object;
}
