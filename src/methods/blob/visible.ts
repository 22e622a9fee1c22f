import type { BlobRow } from '../../store/port.js';

/**
 * Whether a user who reaches the account may know of the blob: an unreferenced one is for its
 * uploader alone (RFC 8620 6.1), also in a shared account.
 */
export function isVisible(blob: BlobRow, userId: string): boolean {
  return blob.referenced || blob.uploaderId === userId;
}
