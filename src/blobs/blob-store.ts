import type { Readable } from 'node:stream';

/** Keeps octets of blobs, in a folder or an S3 bucket. Knows no access, types or references. */
export interface BlobStore {
  /**
   * Streams octets in, and resolves when they are durable (file and folder on disk). Rejects with
   * the error of `source`, or `BlobTooLargeError` beyond `maxSize` octets, and leaves nothing then.
   */
  write(
    accountId: string,
    blobId: string,
    source: Readable,
    maxSize: number,
  ): Promise<{ readonly size: number }>;

  /**
   * Returns the octets of a range as a stream; all by default. Rejects where there is no such blob.
   */
  read(accountId: string, blobId: string, range?: OctetRange): Promise<Readable>;

  /** Makes the same octets known under a second (accountId, blobId), durable when it resolves. */
  copy(origin: BlobPlace, destination: BlobPlace): Promise<void>;

  /** Removes it; no error where it is gone already. */
  delete(accountId: string, blobId: string): Promise<void>;

  /**
   * Lists all blobs, an account at a time. One that comes or goes meanwhile may be listed or not.
   */
  list(): AsyncIterable<KeptBlob>;

  /** Removes every blob of an account; no error where it has none. */
  deleteAccount(accountId: string): Promise<void>;
}

/** Octets `start` to `end`, without the last. */
export interface OctetRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobPlace {
  readonly accountId: string;
  readonly blobId: string;
}

export interface KeptBlob extends BlobPlace {
  /** When the octets got this name, ms. */
  readonly since: number;
}

export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';

  constructor(maxSize: number) {
    super(`The blob has more than ${maxSize} octets.`);
  }
}

export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';

  constructor({ accountId, blobId }: BlobPlace) {
    super(`Account ${accountId} has no octets of a blob ${blobId}.`);
  }
}
