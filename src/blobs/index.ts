import { FilesystemBlobStore } from './filesystem.js';
import type { BlobStore } from './port.js';
import type { S3Location } from './s3.js';

/** The place that BLOB_STORE names. */
export type BlobLocation =
  | { readonly kind: 'file'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Location);

/** The blob store at a place. Only who keeps blobs in S3 pays for loading its client. */
export async function openBlobStore(location: BlobLocation): Promise<BlobStore> {
  if (location.kind === 'file') return new FilesystemBlobStore(location.folder);
  const { S3BlobStore } = await import('./s3.js');
  return new S3BlobStore(location);
}
