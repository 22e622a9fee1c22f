import type { JsonValue } from '../../../src/protocol/json.js';
import type { BlobId, Blobs, Uploaded, UploadOptions } from '../call/blobs.js';
import { isFinal } from '../call/errors.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { AccountStore } from '../store/account-store.js';
import { replaceNames } from '../store/log.js';
import type { StoreWriter } from '../store/store-writer.js';
import { unsend } from '../store/write.js';
import { Backoff } from '../sync/backoff.js';
import { makeRefusal, type Refusal } from '../sync/outcomes.js';
import { Pause } from '../sync/pause.js';
import type { Work } from '../tabs/roles.js';
import type { HttpClient } from '../transport/http.js';

/** The rows of uploads begin so; the id of an account and a key follow. */
const PREFIX = 'upload ';

/** The row that an upload has in the store. */
export interface UploadRow {
  readonly type: string;
  readonly size: number;
  /** When the server has got it, in milliseconds since 1970, and its id there. */
  readonly sentAt?: number;
  readonly blobId?: BlobId;
  /** Why the server will never have it. */
  readonly error?: Refusal;
}

/** An upload as it is told to a worker. */
export interface NewUpload extends UploadRow {
  readonly key: BlobId;
  readonly blob: Blob;
  readonly options: UploadOptions;
}

export type EndOfUpload =
  | { readonly ok: true; readonly blob: Uploaded }
  | { readonly ok: false; readonly error: Refusal };

export interface StartedUpload {
  readonly saved: Promise<boolean>;
  readonly result: Promise<EndOfUpload>;
}

/** The account of which files are uploaded, and the ways to its server. */
export interface UploadContext {
  readonly accountId: string;
  readonly store: AccountStore;
  readonly writer: StoreWriter;
  /** Null: the store is lost, and files are in memory alone. */
  readonly open: OpenStore | null;
  /** Does work for an upload while no other tab does. */
  readonly hold: (key: string, work: Work<void>) => Promise<void>;
  /** Octets of files that the store keeps for an account at most. */
  readonly quota: number;
  readonly maxSize: () => number;
  /** With a key, the server makes an upload once. */
  readonly hasOnceKeys: () => boolean;
  /** Returns the blobs of the account, whose requests are sent by `http`. */
  readonly blobsBy: (http: HttpClient) => Blobs;
  readonly http: HttpClient;
}

/** The ways from uploads to the writes of their account. */
export interface UploadOwner {
  readonly findRefusal: () => Refusal | null;
  /** Commits the row of an upload, and tells other tabs. `blobId`: the server has it. */
  readonly commit: (row: RowChange, blobId: BlobId | undefined) => void;
  /** Starts a cycle: writes may be sent now, or end. */
  readonly resume: () => void;
}

export const ABORTED = makeRefusal('aborted', 'The program has ended the upload.');

/** Returns the key of the row of an upload, and of its octets. */
export function nameRow(accountId: string, key: string): string {
  return `${PREFIX}${accountId} ${key}`;
}

/** Returns the change of the row of an upload. */
export function makeRow(accountId: string, key: string, row: UploadRow | undefined): RowChange {
  const value = row as unknown as JsonValue | undefined;
  return { table: 'meta', key: nameRow(accountId, key), ...(value && { value }) };
}

/**
 * The functions of the client that uploads need. They are handed on: a bundler would put what a
 * lazy file imports into a third one, which everybody loads.
 */
export const TOOLS = {
  ...{ ABORTED, Backoff, Pause, isFinal, nameRow, replaceNames, unsend },
};
export type UploadTools = typeof TOOLS;
