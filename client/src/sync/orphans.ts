import type { Replica } from '../store/replica.js';
import { isLocalKey } from '../store/write.js';
import type { Outcome, Refusal } from './outcomes.js';

const GONE: Refusal = Object.freeze({ type: 'notFound', description: 'The object is gone.' });

/**
 * Returns the ends of unsent writes of objects that were made here, and are nowhere any more.
 * Another tab wrote them before it knew that the create was taken back or refused.
 */
export function findOrphans(replica: Replica): readonly Outcome[] {
  const { log } = replica;
  const creates = new Set(log.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
  return log.flatMap((write) => {
    const { key, sentAs } = write;
    const isThere = !isLocalKey(key) || creates.has(key) || replica.aliasOf(key) !== undefined;
    return isThere || sentAs !== null ? [] : [{ isMade: false, write, error: GONE } as const];
  });
}
