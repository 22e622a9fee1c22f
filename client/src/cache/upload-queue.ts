import type { JsonValue } from '../../../src/protocol/json.js';
import type { BlobId, UploadOptions } from '../call/blobs.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import { namesIn } from '../store/log.js';
import { BLOB } from '../store/replica.js';
import { isEqual } from '../store/values.js';
import { isFileKey, type Key, makeFileKey, type PendingWrite } from '../store/write.js';
import { Backoff } from '../sync/backoff.js';
import { TOO_LARGE } from '../sync/outbox.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import type { Upload } from './cached-types.js';
import { RowReader } from './row-reader.js';
import {
  ABORTED,
  makeRow,
  type NewUpload,
  nameRow,
  type StartedUpload,
  TOOLS,
  type UploadContext,
  type UploadOwner,
  type UploadRow,
} from './upload-tools.js';
import type { UploadWorker } from './upload-worker.js';
import { CLOSED } from './waiters.js';
import { refuse } from './write-forms.js';

/**
 * The uploads of an account, in all tabs. Writes name them by their keys, as they name objects that
 * were made here, and wait for them. All but that is loaded once a file is uploaded.
 */
export class UploadQueue {
  readonly #context: UploadContext;
  readonly #owner: UploadOwner;
  readonly #rows = new Map<Key, UploadRow>();
  readonly #reader: RowReader;
  /** Those of this client that the worker doesn't have yet. */
  readonly #fresh = new Set<Key>();
  #loading: Promise<UploadWorker | null> | null = null;
  #worker: UploadWorker | null = null;
  #isClosed = false;

  constructor(context: UploadContext, owner: UploadOwner) {
    this.#context = context;
    this.#owner = owner;
    this.#reader = new RowReader(context.writer);
  }

  /** There has been an upload since the client was opened, or before. */
  get isUsed(): boolean {
    return this.#loading !== null;
  }

  /** The rows of all uploads. */
  get rows(): readonly RowChange[] {
    return Array.from(this.#rows, ([key, row]) => makeRow(this.#context.accountId, key, row));
  }

  /** Counts the files that the server has yet to get. */
  get unsent(): number {
    const isUnsent = ({ sentAt, error }: UploadRow): boolean => !(sentAt ?? error);
    return [...this.#rows.values()].filter(isUnsent).length;
  }

  /** Takes the uploads that a store has. */
  load(open: OpenStore): Promise<void> {
    const known = () => this.rows.map(({ key }) => key);
    return this.#reader.read(open, nameRow(this.#context.accountId, ''), known, (rows) =>
      this.follow(rows, true),
    );
  }

  /** Reads the uploads that writes name, and of which no other tab has told yet. */
  async readMissing(): Promise<void> {
    const { store, open } = this.#context;
    const mayLack = store.replica.log.some(({ blobs = [] }) =>
      blobs.some((key) => this.#isUnknown(key)),
    );
    if (open === null || !mayLack) return;
    await this.load(open);
  }

  /** Takes the rows of uploads that other tabs have changed. `areLatest`: the store has them. */
  follow(rows: readonly RowChange[], areLatest = false): void {
    const prefix = nameRow(this.#context.accountId, '');
    for (const { table, key: name, value } of rows) {
      if (table !== 'meta' || !name.startsWith(prefix)) continue;
      const key = name.slice(prefix.length);
      const known = this.#rows.get(key);
      if (isEqual(value, known as JsonValue | undefined)) continue;
      // One that has failed isn't sent any more; the store may have yet to hear of it.
      if (known?.error !== undefined && value !== undefined) continue;
      this.#set(key, value as UploadRow | undefined);
      this.#takeId(key, areLatest);
      this.#worker?.follow(key);
    }
    if (this.#rows.size > 0) void this.#load();
  }

  /**
   * Takes the id of a row: the tab that has sent the file may have ended before it has told it.
   * `isLatest`: the id isn't an older one.
   */
  #takeId(key: Key, isLatest: boolean): void {
    const { store } = this.#context;
    const id = this.#rows.get(key)?.blobId;
    const known = store.replica.idOf(key);
    if (id === undefined || id === known || (known !== null && !isLatest)) return;
    void store.commit({ aliases: new Map([[key, { type: BLOB, id }]]) }, { isFree: true });
  }

  upload(data: BlobPart, options: UploadOptions = {}): Upload {
    const key = makeFileKey() as BlobId;
    const blob = data instanceof Blob ? data : new Blob([data]);
    const type = options.type ?? (blob.type || 'application/octet-stream');
    const error = this.#findRefusal(blob, options);
    const started =
      error === null ? this.#start({ key, blob, type, size: blob.size, options }) : refuse(error);
    return Object.freeze({ key, ...started, toJSON: () => key });
  }

  /** Returns a write with the keys of the uploads that it names: it waits for them. */
  mark<Write extends PendingWrite>(write: Write): Write {
    const blobs = [...namesIn(write)].filter(isFileKey);
    return blobs.length === 0 && write.blobs === undefined ? write : { ...write, blobs };
  }

  /** Returns whether the server lacks a file that a write names, and will get it. */
  isAwaited(write: PendingWrite): boolean {
    const { replica } = this.#context.store;
    if (this.lacksFile(write)) return false;
    return !!write.blobs?.some((key) => {
      const row = this.#rows.get(key);
      if (row === undefined) return false;
      // Until the worker is there, nobody can send the file again where the server lacks it.
      return row.sentAt === undefined || replica.idOf(key) === null || this.#worker === null;
    });
  }

  /** Returns whether the server will never have a file that a write names. */
  lacksFile({ blobs = [] }: PendingWrite): boolean {
    return blobs.some((key) => this.#isUnknown(key) || this.#rows.get(key)?.error !== undefined);
  }

  /** Returns a refused write as it may succeed, once its files are there; null: it is refused. */
  repair(write: PendingWrite, error: Refusal): PendingWrite | null {
    return this.#worker?.repair(write, error) ?? null;
  }

  /** Takes note of writes that have ended: their files have done their service. */
  note(outcomes: readonly Outcome[]): void {
    this.#worker?.note(outcomes);
  }

  /**
   * Sends files again that writes are about to name, and that the server may have deleted. Forgets
   * those that no write has named for long.
   */
  check(): void {
    this.#worker?.check();
  }

  /** Writes the files of this program again: the store was lost, and may lack them. */
  keep(): void {
    this.#worker?.keep();
  }

  wake(): void {
    this.#worker?.wake();
  }

  /** Resolves to the octets of an upload that is not over; null: there is none of that key. */
  async read(key: string): Promise<Blob | null> {
    return this.#rows.has(key) ? ((await this.#load())?.read(key) ?? null) : null;
  }

  /** A file is being sent, or waits for the end of a pause. */
  get isSending(): boolean {
    return this.#worker?.isSending === true;
  }

  /** Resolves once all files are sent. */
  async settle(): Promise<void> {
    await (await this.#loading)?.settle();
  }

  close(): void {
    this.#isClosed = true;
    this.#worker?.close(CLOSED);
  }

  /** The account is gone: its files are, too. */
  drop(error: Refusal): void {
    const { writer, accountId } = this.#context;
    this.#isClosed = true;
    this.#worker?.close(error);
    const keys = Array.from(this.#rows.keys(), (key) => nameRow(accountId, key));
    void writer.write(
      keys.flatMap((key) => (['meta', 'blobs'] as const).map((table) => ({ table, key }))),
    );
  }

  /** Neither is the upload here, nor has it had an id. */
  #isUnknown(key: Key): boolean {
    return !this.#rows.has(key) && this.#context.store.replica.idOf(key) === null;
  }

  async #add(upload: NewUpload): Promise<StartedUpload> {
    if (this.#worker !== null) return this.#worker.add(upload);
    this.#fresh.add(upload.key);
    const worker = await this.#load();
    this.#fresh.delete(upload.key);
    return worker?.add(upload) ?? refuse(CLOSED);
  }

  #set(key: Key, row: UploadRow | undefined): void {
    this.#reader.note(nameRow(this.#context.accountId, key));
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }

  #findRefusal({ size }: Blob, { signal }: UploadOptions): Refusal | null {
    if (signal?.aborted) return ABORTED;
    return this.#owner.findRefusal() ?? (size > this.#context.maxSize() ? TOO_LARGE : null);
  }

  /** The row is in front of those of writes that name the upload, which come before its octets. */
  #start(upload: NewUpload): StartedUpload {
    const { key, type, size } = upload;
    const started = this.#add(upload);
    this.#change(key, { type, size });
    // Other tabs ask for the file's role once they hear of it: they get it when this one ends.
    this.#claim(key);
    return {
      saved: started.then(({ saved }) => saved),
      result: started.then(({ result }) => result),
    };
  }

  /** Commits what has become of an upload, with its id where the server has given it one. */
  #change(key: Key, row: UploadRow | undefined): void {
    this.#set(key, row);
    this.#owner.commit(makeRow(this.#context.accountId, key, row), row?.blobId);
    this.#worker?.follow(key);
  }

  /** Has this tab send a file, once no other tab does. */
  #claim(key: Key): void {
    const work = async (signal: AbortSignal) =>
      (this.#worker ?? (await this.#load()))?.send(key, signal);
    this.#context.hold(key, work).catch(() => undefined);
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
        if (this.#isClosed) break;
        const context = {
          ...{ ...this.#context, ...this.#owner, rows: this.#rows, fresh: this.#fresh },
          change: (key: Key, row?: UploadRow) => this.#change(key, row),
          claim: (key: Key) => this.#claim(key),
          reread: async () => this.#context.open && this.load(this.#context.open),
        };
        const worker = new Worker(context, TOOLS);
        this.#worker = worker;
        worker.restore();
        return worker;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, backoff.next()));
      }
    }
    return null;
  }
}
