import type { ModelProperty } from '../../../src/descriptor/model.js';
import { listGivable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';

/** `limits` of a descriptor. */

/** More objects are too many to try. */
export const MOST = 50;

/**
 * Finds a text property whose longest text alone has more octets than an object may have; undefined
 * where there is none.
 */
export const findLargeText = ({ described, profile }: Subject): ModelProperty | undefined =>
  listGivable(described).find(
    ({ kind, access, schema }) =>
      kind === 'string' &&
      access === 'mutable' &&
      schema.pattern === undefined &&
      (schema.maxLength ?? 0) * 4 > profile.octets,
  );

/** Returns why the bound of an account is too high to be reached; null where it isn't. */
export const needReachableCount = ({ profile }: Subject): string | null =>
  profile.count <= MOST ? null : `An account may have more than ${MOST} of them.`;
