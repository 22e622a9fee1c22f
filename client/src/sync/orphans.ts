import { namesIn } from '../store/log.js';
import type { Replica } from '../store/replica.js';
import { isLocalKey, type Key } from '../store/write.js';
import { DEPENDENCY_FAILED, type Outcome, type Refusal } from './outcomes.js';

const GONE: Refusal = Object.freeze({ type: 'notFound', description: 'The object is gone.' });

/**
 * Returns the ends of unsent writes that need objects made here which are nowhere any more: of
 * writes of such objects, and of those that name them. A tab may make such a write before it knows
 * that the create was taken back or refused.
 */
export function findOrphans(replica: Replica): readonly Outcome[] {
  const { log } = replica;
  const creates = new Set(log.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
  const isGone = (key: Key): boolean =>
    isLocalKey(key) && !creates.has(key) && replica.aliasOf(key) === undefined;
  return log.flatMap((write) => {
    const { kind, key, sentAs, blobs } = write;
    if (sentAs !== null) return [];
    // Uploads have keys of their own.
    const isLacking = [...namesIn(write)].some((name) => isGone(name) && !blobs?.includes(name));
    if (isLacking && kind === 'create') creates.delete(key);
    const error = isLacking ? DEPENDENCY_FAILED : isGone(key) ? GONE : null;
    return error === null ? [] : [{ isMade: false, write, error } as const];
  });
}
