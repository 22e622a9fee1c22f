import type { BlobId, Uploaded } from '../call/blobs.js';
import type { RequestError } from '../call/errors.js';
import type { Key, PendingWrite } from '../store/write.js';
import type { Backoff } from '../sync/backoff.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';
import type { Pause } from '../sync/pause.js';
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
/** A sent file that no write has named for so long is forgotten. */
const LONGEST = 24 * 60 * 60_000;
/** How long a file that isn't in the store is left to the tab that may have it, ms. */
const PATIENCE = 2000;

interface Context extends UploadContext, UploadOwner {
  /** The states of uploads, by their keys. */
  readonly rows: ReadonlyMap<Key, UploadRow>;
  /** Uploads that `add` brings in a moment. */
  readonly fresh: ReadonlySet<Key>;
  /** Changes the row of an upload, or takes it away, and follows it. */
  readonly change: (key: Key, row?: UploadRow) => void;
  /** Reads the rows of the uploads, and follows them. */
  readonly reread: () => Promise<unknown>;
  /** Calls `send` once no other tab sends the file. */
  readonly claim: (key: Key) => void;
}

/** An upload that is not over. */
interface Entry {
  readonly key: Key;
  /** The file of this program; null: the store has it, or another tab. */
  data: Blob | null;
  /** The store has its octets. */
  isKept: boolean;
  /** This tab has asked for the file's role. */
  isClaimed: boolean;
  /** It has been found missing before. */
  isMissing: boolean;
  /** It waits where there is a pause, and lets others go first. */
  hasFailed: boolean;
  /** The server, or a proxy before it, has refused it: it is tried once more. */
  isRefused: boolean;
  /** Gives way to other tabs; null: the file is theirs to send. */
  release: (() => void) | null;
  onProgress?: OnProgress;
  readonly controller: AbortController;
  readonly result: Promise<EndOfUpload>;
  readonly end: (end: EndOfUpload) => void;
  /** Ends what listens to the program's signal. */
  leave: () => void;
}

/**
 * Keeps and sends files, one at a time, and what the writes that name them have to know. A tab
 * sends its own files. Those of a tab that has ended are sent by another one, from the store.
 */
export class UploadWorker {
  readonly #context: Context;
  readonly #tools: UploadTools;
  readonly #entries = new Map<Key, Entry>();
  readonly #backoff: Backoff;
  #running: Promise<void> | null = null;
  readonly #pause: Pause;
  /** The pause of the files that have failed; null: there is none. */
  #resting: Promise<void> | null = null;
  #isClosed = false;

  constructor(context: Context, tools: UploadTools) {
    this.#context = context;
    this.#tools = tools;
    this.#backoff = new tools.Backoff();
    this.#pause = new tools.Pause();
  }

  /** Takes a file, and keeps it where there is room. Its role has been asked for. */
  add({ key, blob, options }: NewUpload): StartedUpload {
    const { signal, onProgress } = options;
    const entry = this.#enter(key);
    const abort = (): void => this.#abort(key);
    Object.assign(entry, { data: blob, isClaimed: true, isKept: false });
    entry.leave = (): void => signal?.removeEventListener('abort', abort);
    if (onProgress !== undefined) entry.onProgress = onlyRising(onProgress);
    signal?.addEventListener('abort', abort);
    const saved = this.#keep(entry, blob);
    if (signal?.aborted) abort();
    return { saved, result: entry.result };
  }

  /** Takes the uploads that are there already. */
  restore(): void {
    this.check();
    const { store, rows, resume } = this.#context;
    const named = new Set(store.replica.log.flatMap(({ blobs = [] }) => blobs));
    for (const [key, { error }] of [...rows]) {
      if (error !== undefined && !named.has(key)) this.#forget(key);
      // Its client may have ended before it had taken the octets away.
      else if (error !== undefined) this.#removeOctets(key);
      else this.follow(key);
    }
    if (rows.size > 0) resume();
  }

  /** Takes what has become of an upload, here or in another tab. */
  follow(key: Key): void {
    const { rows, fresh, accountId, resume } = this.#context;
    const row = rows.get(key);
    if (fresh.has(key)) return;
    if (row === undefined || row.error !== undefined) {
      this.#end(key, row?.error ?? GONE);
      return;
    }
    const entry = this.#entries.get(key) ?? this.#enter(key);
    if (row.blobId === undefined) {
      if (entry.release !== null) this.#start();
      else if (!entry.isClaimed) this.#claim(entry);
      return;
    }
    const { type, size, blobId } = row;
    entry.leave();
    entry.end({
      ok: true,
      blob: { accountId: accountId as Uploaded['accountId'], blobId, type, size },
    });
    // Nobody else can send it once more.
    if (entry.isKept) entry.release?.();
    resume();
  }

  /** Sends a file while no other tab does. Resolves when another one may have it. */
  async send(key: Key, signal: AbortSignal): Promise<void> {
    const { writer, reread } = this.#context;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    try {
      if (writer.isShared && entry.data === null) await reread();
    } catch (error) {
      this.#claimLater(entry);
      throw error;
    }
    if (!signal.aborted && (this.#isUnsent(key) || entry.data !== null)) {
      const isOver = new Promise<void>((resolve) => {
        // The signal may be there for as long as the client: it must not keep the file.
        const release = (): void => {
          signal.removeEventListener('abort', release);
          resolve();
        };
        entry.release = release;
        signal.addEventListener('abort', release);
      });
      this.#start();
      await isOver;
      Object.assign(entry, { release: null, isClaimed: false });
      // The next tab reads what has become of it.
      await this.#context.writer.settle();
    } else entry.isClaimed = false;
    // Another tab has taken the role, and may end before it has sent the file.
    if (signal.aborted) this.#claimLater(entry);
  }

  async read(key: Key): Promise<Blob | null> {
    const data = this.#entries.get(key)?.data;
    if (data) return data;
    const { open, accountId, rows } = this.#context;
    const octets = await open?.loadBlob(this.#tools.nameRow(accountId, key));
    return octets ? new Blob([octets as BlobPart], { type: rows.get(key)?.type ?? '' }) : null;
  }

  repair(write: PendingWrite, error: Refusal): PendingWrite | null {
    const { store, rows } = this.#context;
    const keys = new Map<string, Key>();
    for (const key of write.blobs ?? [])
      if (rows.has(key)) keys.set(store.replica.idOf(key) ?? key, key);
    const missing = write.isRepaired ? [] : findNamed(write, error, keys);
    if (missing.length === 0) return null;
    for (const key of missing) this.#sendAgain(key);
    const { replaceNames, unsend } = this.#tools;
    const again = replaceNames(unsend(write), (text) => keys.get(text) ?? text);
    return { ...again, isRepaired: true };
  }

  note(outcomes: readonly Outcome[]): void {
    const { store, rows } = this.#context;
    const needed = new Set(store.replica.log.flatMap(({ blobs = [] }) => blobs));
    for (const { isMade, write } of outcomes)
      for (const key of isMade ? (write.blobs ?? []) : [])
        if (rows.has(key) && !needed.has(key)) this.#forget(key);
  }

  check(): void {
    const { store, rows } = this.#context;
    const named = new Set<Key>();
    const next = new Set<Key>();
    for (const { sentAs, blobs = [] } of store.replica.log)
      for (const key of blobs) (sentAs === null ? next : named).add(key);
    for (const [key, { sentAt = Date.now() }] of [...rows]) {
      const age = Date.now() - sentAt;
      if (next.has(key) && age > LIFE) this.#sendAgain(key);
      else if (!next.has(key) && !named.has(key) && age > LONGEST) this.#forget(key);
    }
  }

  keep(): void {
    const own = [...this.#entries.values()].filter(({ key, data }) => data && this.#isUnsent(key));
    for (const entry of own) entry.isKept = false;
    for (const entry of own) if (entry.data !== null) void this.#keepAgain(entry, entry.data);
  }

  wake(): void {
    this.#backoff.reset();
    this.#pause.end();
  }

  get isSending(): boolean {
    return (this.#running ?? this.#resting) !== null;
  }

  async settle(): Promise<void> {
    this.wake();
    while ((this.#running ?? this.#resting) !== null) await (this.#running ?? this.#resting);
  }

  close(error: Refusal): void {
    this.#isClosed = true;
    this.#pause.end();
    for (const key of [...this.#entries.keys()]) this.#end(key, error);
  }

  #enter(key: Key): Entry {
    let end: Entry['end'] = () => undefined;
    const result = new Promise<EndOfUpload>((resolve) => {
      end = resolve;
    });
    const entry: Entry = {
      ...{ key, result, end, data: null, isKept: true, isClaimed: false, isMissing: false },
      ...{ hasFailed: false, isRefused: false, release: null, leave: () => undefined },
      controller: new AbortController(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #claim(entry: Entry): void {
    entry.isClaimed = true;
    this.#context.claim(entry.key);
  }

  #isUnsent(key: Key): boolean {
    const row = this.#context.rows.get(key);
    return row !== undefined && row.sentAt === undefined && row.error === undefined;
  }

  /** Writes the octets to the store. Resolves to false where they are in memory alone. */
  async #keep(entry: Entry, blob: Blob): Promise<boolean> {
    const { writer, accountId, quota, rows } = this.#context;
    const kept = [...this.#entries.values()].filter((one) => one.isKept && this.#isUnsent(one.key));
    const sizes = kept.map(({ key }) => rows.get(key)?.size ?? 0);
    if (sizes.reduce((sum, size) => sum + size, blob.size) > quota) return false;
    entry.isKept = true;
    const octets = await blob.arrayBuffer().catch(() => null);
    let isDurable = false;
    if (octets !== null && this.#entries.get(entry.key) === entry) {
      const key = this.#tools.nameRow(accountId, entry.key);
      const value = new Uint8Array(octets);
      isDurable = await writer.write([{ table: 'blobs', key, value }]);
    }
    entry.isKept = isDurable && !writer.isFull;
    if (entry.isKept && !this.#isUnsent(entry.key)) entry.release?.();
    return entry.isKept;
  }

  async #keepAgain(entry: Entry, blob: Blob): Promise<void> {
    const { open, accountId } = this.#context;
    const key = this.#tools.nameRow(accountId, entry.key);
    const octets = await open?.loadBlob(key).catch(() => null);
    if (!octets) {
      await this.#keep(entry, blob);
      return;
    }
    entry.isKept = true;
    if (!this.#isUnsent(entry.key)) entry.release?.();
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
        if (entry.hasFailed) this.#backoff.reset();
        Object.assign(entry, { hasFailed: false, isRefused: false });
      } catch (error) {
        if (!this.#isUnsent(entry.key)) continue;
        const isRefused = this.#tools.isFinal(error);
        if ((isRefused && entry.isRefused) || isTooLarge(error))
          this.#fail(entry.key, describe(error));
        else if (!this.#isClosed) this.#putBack(entry, error);
        entry.isRefused = isRefused;
      }
    }
  }

  /** Returns a file that hasn't failed, or else one whose pause is over. */
  #findNext(): Entry | undefined {
    return this.#find(false) ?? (this.#resting === null ? this.#find(true) : undefined);
  }

  #find(failed: boolean): Entry | undefined {
    if (this.#isClosed) return undefined;
    const entries = [...this.#entries.values()];
    return entries.find(
      ({ key, release, hasFailed }) =>
        release !== null && hasFailed === failed && this.#isUnsent(key),
    );
  }

  /** Has a file wait, behind others that have failed; all files where the server takes none. */
  #putBack(entry: Entry, error: unknown): void {
    for (const one of this.#isOfAll(error) ? this.#entries.values() : [entry]) one.hasFailed = true;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    this.#resting ??= this.#pause.wait(this.#backoff.next(error)).then(() => {
      this.#resting = null;
      this.#start();
    });
  }

  /** Returns whether the server takes no file now, rather than that it refuses or fails at one. */
  #isOfAll(error: unknown): boolean {
    const { status = 0, retryAfter } = error as Partial<RequestError>;
    return !this.#tools.isFinal(error) && (status < 500 || retryAfter !== undefined);
  }

  async #send(entry: Entry): Promise<void> {
    const { key, controller, onProgress } = entry;
    const { rows, change, hasOnceKeys, http, blobsBy } = this.#context;
    const data = await this.read(key);
    const { type = '', size = 0 } = rows.get(key) ?? {};
    if (data === null) {
      this.#miss(entry);
      return;
    }
    const more = hasOnceKeys() ? { 'idempotency-key': key.slice(1) } : {};
    const blobs = blobsBy((url, request, sender) =>
      http(url, { ...request, headers: { ...request.headers, ...more } }, sender),
    );
    const options = { type, signal: controller.signal, ...(onProgress && { onProgress }) };
    const blob = await blobs.upload(data, options);
    if (!this.#isUnsent(key)) return;
    entry.end({ ok: true, blob });
    change(key, { type, size, sentAt: Date.now(), blobId: blob.blobId });
  }

  /** The store doesn't have the octets: another tab that has them sends the file, or nobody can. */
  #miss(entry: Entry): void {
    const { key, isMissing, release } = entry;
    const { writer, store, rows, change } = this.#context;
    const row = rows.get(key);
    const blobId = store.replica.idOf(key) as BlobId | null;
    if (row !== undefined && blobId !== null) change(key, { ...row, sentAt: Date.now(), blobId });
    else if (isMissing || !writer.isShared) this.#fail(key, LOST);
    else {
      Object.assign(entry, { isMissing: true, release: null });
      release?.();
      this.#claimLater(entry);
    }
  }

  /** Leaves a file to other tabs for a while. */
  #claimLater(entry: Entry): void {
    entry.isClaimed = false;
    setTimeout(() => {
      if (!this.#isClosed && this.#isUnsent(entry.key) && !entry.isClaimed) this.#claim(entry);
    }, PATIENCE);
  }

  #sendAgain(key: Key): void {
    const row = this.#context.rows.get(key);
    if (row === undefined) return;
    const { type, size } = row;
    this.#context.change(key, { type, size });
  }

  #abort(key: Key): void {
    if (this.#isUnsent(key)) this.#fail(key, this.#tools.ABORTED);
  }

  /** Ends an upload. Writes that need it end in the next cycle. */
  #fail(key: Key, error: Refusal): void {
    const { rows, change, resume } = this.#context;
    const { type, size } = rows.get(key) ?? { type: '', size: 0 };
    change(key, { type, size, error });
    this.#removeOctets(key);
    resume();
  }

  #forget(key: Key): void {
    this.#context.change(key);
    this.#removeOctets(key);
  }

  #removeOctets(key: Key): void {
    const { writer, accountId } = this.#context;
    void writer.write([{ table: 'blobs', key: this.#tools.nameRow(accountId, key) }]);
  }

  #end(key: Key, error: Refusal): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    entry.leave();
    entry.end({ ok: false, error });
    entry.controller.abort();
    entry.release?.();
  }
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
const GONE: Refusal = Object.freeze({ type: 'closed', description: 'The file is not needed.' });
