import type { BlobStore } from './blob-store.js';
import { FilesystemBlobStore } from './filesystem.js';
import type { S3Location } from './s3.js';

/** The place that BLOB_STORE names. */
export type BlobLocation =
  | { readonly kind: 'file'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Location);

/** BLOB_STORE names S3, and a standalone build has left out its client. */
export class MissingClientError extends Error {
  override readonly name = 'MissingClientError';
}

/**
 * Opens the blob store at a place. Only who keeps blobs in S3 pays for loading its client. Rejects
 * with MissingClientError.
 */
export async function openBlobStore(location: BlobLocation): Promise<BlobStore> {
  if (location.kind === 'file') return new FilesystemBlobStore(location.folder);
  const { S3BlobStore } = await import('./s3.js').catch(refuseWithoutClient);
  return new S3BlobStore(location);
}

function refuseWithoutClient(error: unknown): never {
  const isMissing =
    error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  if (!isMissing) throw error;
  throw new MissingClientError(
    'BLOB_STORE names S3, and the S3 client is not installed here. ' +
      'A standalone server has it by npx jmapsmith build --standalone DIR --with s3.',
    { cause: error },
  );
}
