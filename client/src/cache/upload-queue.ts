import type { JsonValue } from '../../../src/protocol/json.js';
import type { BlobId, UploadOptions } from '../call/blobs.js';
import type { OpenStore } from '../persist/port.js';
import { namesIn } from '../store/log.js';
import { makeKey, type PendingWrite } from '../store/write.js';
import { Backoff } from '../sync/backoff.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import type { Upload } from './cached-types.js';
import {
  ABORTED,
  CLOSED,
  type NewUpload,
  nameRow,
  removeRows,
  type StartedUpload,
  TOOLS,
  type UploadContext,
  type UploadOwner,
  type UploadRow,
} from './upload-tools.js';
import type { UploadWorker } from './upload-worker.js';

/**
 * The uploads of an account. Writes name them by their keys, as they name objects that were made
 * here, and wait for them. All but that is loaded once a file is uploaded.
 */
export class UploadQueue {
  readonly #context: UploadContext;
  readonly #owner: UploadOwner;
  readonly #keys = new Set<string>();
  #loading: Promise<UploadWorker | null> | null = null;
  #worker: UploadWorker | null = null;
  /** The uploads of an earlier client. */
  #stored: readonly (readonly [key: string, row: UploadRow])[] = [];
  /** The uploads that writes of an earlier client name. */
  #named: ReadonlySet<string> = new Set();
  #isClosed = false;

  constructor(context: UploadContext, owner: UploadOwner) {
    this.#context = context;
    this.#owner = owner;
  }

  /** There has been an upload since the client was opened, or before. */
  get isUsed(): boolean {
    return this.#loading !== null;
  }

  /** Takes the uploads that a store has. */
  async load(open: OpenStore): Promise<void> {
    const { accountId, store } = this.#context;
    const prefix = nameRow(accountId, '');
    const rows = await open.load('meta', prefix);
    this.#stored = rows.map(([name, row]) => [
      name.slice(prefix.length),
      row as unknown as UploadRow,
    ]);
    for (const [key] of this.#stored) this.#keys.add(key);
    this.#named = new Set(store.replica.log.flatMap(({ blobs = [] }) => blobs));
    if (rows.length > 0 || store.replica.log.some((write) => this.isAwaited(write)))
      void this.#load();
  }

  upload(data: BlobPart, options: UploadOptions = {}): Upload {
    const key = makeKey() as BlobId;
    const blob = data instanceof Blob ? data : new Blob([data]);
    const type = options.type ?? (blob.type || 'application/octet-stream');
    const error = this.#findRefusal(blob, options);
    const started =
      error === null ? this.#start({ key, blob, type, size: blob.size, options }) : refuse(error);
    return Object.freeze({ key, ...started, toJSON: () => key });
  }

  /** Returns a write with the keys of the uploads that it names: it waits for them. */
  mark<Write extends PendingWrite>(write: Write): Write {
    if (this.#keys.size === 0 && write.blobs === undefined) return write;
    const blobs = [...namesIn(write)].filter((key) => this.#keys.has(key));
    return blobs.length + (write.blobs ?? []).length === 0 ? write : { ...write, blobs };
  }

  /** Returns whether the server lacks a file that a write names. */
  isAwaited({ blobs = [] }: PendingWrite): boolean {
    const { replica } = this.#context.store;
    // Until the worker is there, nobody knows whether the server has them still.
    const isSending = (key: string): boolean =>
      this.#worker === null ? this.#keys.has(key) : this.#worker.isSending(key);
    return blobs.some((key) => replica.idOf(key) === null || isSending(key));
  }

  /** Returns a refused write as it may succeed, once its files are there; null: it is refused. */
  repair(write: PendingWrite, error: Refusal): PendingWrite | null {
    return this.#worker?.repair(write, error) ?? null;
  }

  /** Takes note of writes that have ended: their files have done their service. */
  note(outcomes: readonly Outcome[]): void {
    this.#worker?.note(outcomes);
  }

  /** Sends files again that writes are about to name, and that the server may have deleted. */
  check(): void {
    this.#worker?.check();
  }

  wake(): void {
    this.#worker?.wake();
  }

  /** Resolves to the octets of an upload that is not over; null: there is none of that key. */
  async read(key: string): Promise<Blob | null> {
    return this.#keys.has(key) ? ((await this.#load())?.read(key) ?? null) : null;
  }

  /** Resolves once all files are sent. */
  async settle(): Promise<void> {
    await (await this.#loading)?.settle();
  }

  close(): void {
    this.#isClosed = true;
    this.#worker?.close();
  }

  /** Takes all away: the account is gone. */
  drop(): void {
    const { writer, accountId } = this.#context;
    const names = Array.from(this.#keys, (key) => nameRow(accountId, key));
    void writer.write(names.flatMap(removeRows));
  }

  #findRefusal({ size }: Blob, { signal }: UploadOptions): Refusal | null {
    if (signal?.aborted) return ABORTED;
    return this.#owner.findRefusal() ?? (size > this.#context.maxSize() ? TOO_LARGE : null);
  }

  /** The row is in front of those of writes that name the upload, which come before its octets. */
  #start(upload: NewUpload): StartedUpload {
    const { key, type, size } = upload;
    const { writer, accountId } = this.#context;
    this.#keys.add(key);
    const value = { type, size } satisfies UploadRow as JsonValue;
    void writer.write([{ table: 'meta', key: nameRow(accountId, key), value }]);
    const started = this.#load().then((worker) => worker?.add(upload) ?? refuse(CLOSED));
    return {
      saved: started.then(({ saved }) => saved),
      result: started.then(({ result }) => result),
    };
  }

  #load(): Promise<UploadWorker | null> {
    this.#loading ??= this.#import();
    return this.#loading;
  }

  /** A page that is offline gets the code once it is online. Null: the client was closed before. */
  async #import(): Promise<UploadWorker | null> {
    const backoff = new Backoff();
    while (!this.#isClosed) {
      try {
        const { UploadWorker: Worker } = await import('./upload-worker.js');
        const worker = new Worker({ ...this.#context, ...this.#owner, keys: this.#keys }, TOOLS);
        if (this.#isClosed) worker.close();
        else worker.restore(this.#stored, this.#named);
        this.#worker = worker;
        return worker;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, backoff.next()));
      }
    }
    return null;
  }
}

const TOO_LARGE: Refusal = Object.freeze({
  type: 'tooLarge',
  description: 'The server takes no file so large.',
});

function refuse(error: Refusal): StartedUpload {
  return { saved: Promise.resolve(false), result: Promise.resolve({ ok: false, error }) };
}
