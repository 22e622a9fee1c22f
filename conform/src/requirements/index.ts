import { blobReading } from './blob-reading.js';
import { blobUploading } from './blob-uploading.js';
import type { Requirement } from './requirement.js';
import { section1 } from './section-1.js';
import { section2 } from './section-2.js';
import { section3Envelope } from './section-3-envelope.js';
import { section3Errors } from './section-3-errors.js';
import { section3References } from './section-3-references.js';
import { section5Copy } from './section-5-copy.js';
import { section5Query } from './section-5-query.js';
import { section5QueryChanges } from './section-5-query-changes.js';
import { section5Reading } from './section-5-reading.js';
import { section5Set } from './section-5-set.js';
import { section5SetResponse } from './section-5-set-response.js';
import { section6 } from './section-6.js';
import { section7 } from './section-7.js';
import { section8 } from './section-8.js';
import { websocket } from './websocket.js';

export { keywordsOfBlobSections, keywordsOfSections } from './keywords.js';
export type { Requirement, Specification } from './requirement.js';

/**
 * Every rule of RFC 8620 (1 to 6, 7.1, 7.3, 8), RFC 8887 and RFC 9404 that binds somebody, in the
 * order of the sections.
 */
export const requirements: readonly Requirement[] = Object.freeze([
  ...section1,
  ...section2,
  ...section3Envelope,
  ...section3Errors,
  ...section3References,
  ...section5Reading,
  ...section5Set,
  ...section5SetResponse,
  ...section5Copy,
  ...section5Query,
  ...section5QueryChanges,
  ...section6,
  ...section7,
  ...section8,
  ...websocket,
  ...blobUploading,
  ...blobReading,
]);
