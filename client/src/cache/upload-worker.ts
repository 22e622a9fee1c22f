import type { JsonValue } from '../../../src/protocol/json.js';
import type { BlobId, Uploaded } from '../call/blobs.js';
import type { Key, PendingWrite } from '../store/write.js';
import type { Backoff } from '../sync/backoff.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import type { OnProgress } from '../transport/upload.js';
import type {
  EndOfUpload,
  NewUpload,
  StartedUpload,
  UploadContext,
  UploadOwner,
  UploadRow,
  UploadTools,
} from './upload-tools.js';

/** A server may delete a file that nothing names; ours does after an hour. */
const LIFE = 45 * 60_000;
/** A file that no write has named for so long is forgotten when the client starts. */
const LONGEST = 24 * 60 * 60_000;

interface Context extends UploadContext, UploadOwner {
  /** All keys that writes may name. */
  readonly keys: Set<Key>;
}

interface Entry {
  readonly key: BlobId;
  readonly row: UploadRow;
  onProgress?: OnProgress;
  readonly controller: AbortController;
  readonly end: (end: EndOfUpload) => void;
  /** The file of this program; null: the store has it from an earlier one. */
  readonly data: Blob | null;
  isKept: boolean;
  /** When the server has got it; null: it is to be sent. */
  sentAt: number | null;
  /** Ends what listens to the program's signal. */
  leave: () => void;
}

/** Keeps and sends files, one at a time, and what the writes that name them have to know. */
export class UploadWorker {
  readonly #context: Context;
  readonly #tools: UploadTools;
  readonly #entries = new Map<Key, Entry>();
  readonly #backoff: Backoff;
  #running: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(context: Context, tools: UploadTools) {
    this.#context = context;
    this.#tools = tools;
    this.#backoff = new tools.Backoff();
  }

  /** Takes a file, keeps it where there is room, and sends it. */
  add({ key, blob, type, size, options }: NewUpload): StartedUpload {
    const { signal, onProgress } = options;
    let end: Entry['end'] = () => undefined;
    const result = new Promise<EndOfUpload>((resolve) => {
      end = resolve;
    });
    const abort = (): void => this.#abort(entry);
    const leave = (): void => signal?.removeEventListener('abort', abort);
    const entry: Entry = { ...makeEntry(key, { type, size }, end), data: blob, leave };
    if (onProgress !== undefined) entry.onProgress = onlyRising(onProgress);
    signal?.addEventListener('abort', abort);
    this.#entries.set(key, entry);
    const saved = this.#keep(entry, blob);
    if (signal?.aborted) abort();
    this.#start();
    return { saved, result };
  }

  /** Takes the uploads of an earlier client. It forgets files that nothing has named for long. */
  restore(
    uploads: readonly (readonly [key: Key, row: UploadRow])[],
    namedBefore: Iterable<Key>,
  ): void {
    const { replica } = this.#context.store;
    const named = new Set(replica.log.flatMap(({ blobs = [] }) => blobs));
    const { keys } = this.#context;
    for (const key of namedBefore)
      if (named.has(key) && !keys.has(key) && replica.idOf(key) === null) this.#refuse(key);
    for (const [key, row] of uploads) {
      const entry = { ...makeEntry(key as BlobId, row, () => undefined), isKept: true };
      entry.sentAt = replica.idOf(key) === null ? null : (row.sentAt ?? 0);
      if (row.sentAt === undefined || named.has(key) || Date.now() - row.sentAt < LONGEST)
        this.#entries.set(key, entry);
      else this.#forget(entry);
    }
    this.check();
    this.#start();
    if (uploads.length > 0) this.#context.want();
  }

  isSending(key: Key): boolean {
    return this.#entries.get(key)?.sentAt === null;
  }

  async read(key: Key): Promise<Blob | null> {
    const entry = this.#entries.get(key);
    return entry === undefined ? null : this.#read(entry);
  }

  repair(write: PendingWrite, error: Refusal): PendingWrite | null {
    const { replica } = this.#context.store;
    const keys = new Map<string, Key>();
    for (const key of write.blobs ?? [])
      if (this.#entries.has(key)) keys.set(replica.idOf(key) ?? key, key);
    const missing = write.isRepaired ? [] : findNamed(write, error, keys);
    if (missing.length === 0) return null;
    for (const key of missing) this.#sendAgain(key);
    const again = this.#tools.replaceNames(write, (text) => keys.get(text) ?? text);
    return { ...again, sentAs: null, isRepaired: true };
  }

  note(outcomes: readonly Outcome[]): void {
    if (this.#entries.size === 0) return;
    for (const { isMade, write } of outcomes) {
      for (const key of isMade ? (write.blobs ?? []) : []) {
        const entry = this.#entries.get(key);
        if (entry !== undefined) this.#forget(entry);
      }
    }
  }

  check(): void {
    const { replica } = this.#context.store;
    for (const { sentAs, blobs = [] } of replica.log)
      for (const key of sentAs === null ? blobs : []) {
        const sentAt = this.#entries.get(key)?.sentAt ?? null;
        if (sentAt !== null && Date.now() - sentAt > LIFE) this.#sendAgain(key);
      }
  }

  wake(): void {
    this.#backoff.reset();
    this.#wake?.();
  }

  async settle(): Promise<void> {
    this.wake();
    while (this.#running !== null) await this.#running;
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
    for (const { end, leave } of this.#entries.values()) {
      leave();
      end({ ok: false, error: this.#tools.CLOSED });
    }
  }

  /** Writes the octets to the store. Resolves to false where they are in memory alone. */
  async #keep(entry: Entry, blob: Blob): Promise<boolean> {
    const { writer, accountId, quota } = this.#context;
    const kept = [...this.#entries.values()].filter(({ isKept }) => isKept);
    const size = kept.reduce((sum, { row }) => sum + row.size, entry.row.size);
    if (size > quota) return false;
    entry.isKept = true;
    const octets = await blob.arrayBuffer().catch(() => null);
    if (octets === null || !this.#entries.has(entry.key)) {
      entry.isKept = false;
      return false;
    }
    const value = new Uint8Array(octets);
    const key = this.#tools.nameRow(accountId, entry.key);
    const isDurable = await writer.write([{ table: 'blobs', key, value }]);
    entry.isKept = isDurable && !writer.isFull;
    return entry.isKept;
  }

  async #read({ key, row, data }: Entry): Promise<Blob | null> {
    if (data !== null) return data;
    const octets = await this.#context.open?.loadBlob(
      this.#tools.nameRow(this.#context.accountId, key),
    );
    return octets ? new Blob([octets as BlobPart], { type: row.type }) : null;
  }

  #start(): void {
    if (this.#isClosed) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#findNext() !== undefined) this.#start();
    });
  }

  async #run(): Promise<void> {
    for (let entry = this.#findNext(); entry !== undefined; entry = this.#findNext()) {
      try {
        await this.#send(entry);
        this.#backoff.reset();
      } catch (error) {
        if (this.#entries.get(entry.key) !== entry) continue;
        if (this.#tools.isFinal(error) || isTooLarge(error)) this.#fail(entry, describe(error));
        else await this.#pause();
      }
    }
  }

  #findNext(): Entry | undefined {
    if (this.#isClosed) return undefined;
    return [...this.#entries.values()].find(({ sentAt }) => sentAt === null);
  }

  async #send(entry: Entry): Promise<void> {
    const { key, row, controller, onProgress } = entry;
    const data = await this.#read(entry);
    if (data === null && this.#context.store.replica.idOf(key) !== null) {
      // Another tab has sent it.
      entry.sentAt = Date.now();
      return;
    }
    if (data === null && this.#context.hasOthers()) throw new Error('Another tab has the file.');
    if (data === null) {
      this.#fail(entry, LOST);
      return;
    }
    const { type } = row;
    const options = { type, signal: controller.signal, onceKey: key.slice(1) };
    const blob = await this.#context.send(data, { ...options, ...(onProgress && { onProgress }) });
    entry.leave();
    if (this.#entries.get(key) === entry) this.#take(entry, blob);
  }

  /** The file is there: writes name it by its id from now on. */
  #take(entry: Entry, blob: Uploaded): void {
    const { key, row } = entry;
    const { writer, accountId } = this.#context;
    entry.sentAt = Date.now();
    const value = { ...row, sentAt: entry.sentAt } as JsonValue;
    void writer.write([{ table: 'meta', key: this.#tools.nameRow(accountId, key), value }]);
    this.#context.commit(
      { aliases: new Map([[key, { type: this.#tools.BLOB, id: blob.blobId }]]) },
      [],
    );
    entry.end({ ok: true, blob });
    this.#context.want();
  }

  #sendAgain(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.sentAt = null;
    this.#start();
  }

  #abort(entry: Entry): void {
    if (entry.sentAt !== null || this.#entries.get(entry.key) !== entry) return;
    this.#fail(entry, this.#tools.ABORTED);
    entry.controller.abort();
  }

  /** Ends an upload, and the writes that need it. */
  #fail(entry: Entry, error: Refusal): void {
    this.#context.keys.delete(entry.key);
    this.#refuse(entry.key);
    this.#forget(entry);
    entry.end({ ok: false, error });
  }

  #refuse(blob: Key): void {
    const { log } = this.#context.store.replica;
    const named = log.filter(({ blobs = [] }) => blobs.includes(blob));
    const keys = new Set(named.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
    const gone = new Set([...named, ...this.#tools.findDependants(log, keys)]);
    if (gone.size === 0) return;
    const outcomes = Array.from(
      gone,
      (write) => ({ isMade: false, write, error: FAILED }) as const,
    );
    this.#context.commit({ log: log.filter((write) => !gone.has(write)) }, outcomes);
  }

  #forget(entry: Entry): void {
    const { writer, accountId } = this.#context;
    entry.leave();
    this.#entries.delete(entry.key);
    void writer.write(this.#tools.removeRows(this.#tools.nameRow(accountId, entry.key)));
  }

  async #pause(): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#backoff.next());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}

function makeEntry(key: BlobId, row: UploadRow, end: Entry['end']): Entry {
  return {
    ...{ key, row, end, data: null, isKept: false, sentAt: null },
    controller: new AbortController(),
    leave: () => undefined,
  };
}

/** A file may be sent several times; its progress never goes back. */
function onlyRising(tell: OnProgress): OnProgress {
  let most = -1;
  return (progress) => {
    if (progress.loaded <= most) return;
    most = progress.loaded;
    tell(progress);
  };
}

/**
 * Returns the keys of the files that a write names where it was refused. RFC 8621 has an error for
 * files that are missing; other servers, and ours, call the properties wrong that name them.
 */
function findNamed(
  write: PendingWrite,
  error: Refusal,
  keys: ReadonlyMap<string, Key>,
): readonly Key[] {
  const { type, properties = [] } = error as { type: string; properties?: readonly string[] };
  if (type === 'blobNotFound') return [...keys.values()];
  if (type !== 'invalidProperties' || write.kind === 'destroy') return [];
  const values = write.kind === 'create' ? write.values : write.patch;
  const wrong = new Set(properties.map((pointer) => pointer.split('/')[0]));
  const parts = Object.entries(values).filter(([name]) => wrong.has(name.split('/')[0]));
  const text = JSON.stringify(parts);
  return [...keys].flatMap(([id, key]) => (text.includes(id) ? [key] : []));
}

function isTooLarge(error: unknown): boolean {
  return (error as { readonly status?: unknown } | null)?.status === 413;
}

function describe(error: unknown): Refusal {
  const { type, message } = error as { readonly type: string; readonly message: string };
  return { type: isTooLarge(error) ? 'tooLarge' : type, description: message };
}

const LOST: Refusal = Object.freeze({
  type: 'blobNotFound',
  description: 'The store has lost the file.',
});
const FAILED: Refusal = Object.freeze({
  type: 'dependencyFailed',
  description: 'A file that it needs was not uploaded.',
});
