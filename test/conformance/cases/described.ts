import type { Suite } from '../suite.js';
import { describedBlobCases } from './described-blobs.js';
import { describedLimitCases } from './described-limits.js';
import { describedQueryCases } from './described-query.js';

/** What a type's descriptor says of it, each key by the answers that it leads to. */
export function describedCases(suite: Suite): void {
  describedQueryCases(suite);
  describedBlobCases(suite);
  describedLimitCases(suite);
}
