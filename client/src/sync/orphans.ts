import type { Replica } from '../store/replica.js';
import { isLocalKey, type PendingWrite } from '../store/write.js';
import { findDependants } from './flush.js';
import type { Outcome, Refusal } from './outcomes.js';

const GONE: Refusal = Object.freeze({ type: 'notFound', description: 'The object is gone.' });

const LACKS_FILE: Refusal = Object.freeze({
  type: 'dependencyFailed',
  description: 'A file that it needs was not uploaded.',
});

/**
 * Returns the ends of unsent writes that can't be made any more. They are of objects that were made
 * here, and are nowhere: another tab wrote them before it knew that the create was taken back or
 * refused. Or they need a file that the server will never have.
 */
export function findOrphans(
  replica: Replica,
  lacksFile: (write: PendingWrite) => boolean = () => false,
): readonly Outcome[] {
  const { log } = replica;
  const lacking = log.filter((write) => write.sentAs === null && lacksFile(write));
  const lost = new Set(lacking.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
  const lackingAll = new Set([...lacking, ...findDependants(log, lost)]);
  const creates = new Set(log.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
  return log.flatMap((write) => {
    const { key, sentAs } = write;
    if (lackingAll.has(write)) return [{ isMade: false, write, error: LACKS_FILE } as const];
    const isThere = !isLocalKey(key) || creates.has(key) || replica.aliasOf(key) !== undefined;
    return isThere || sentAs !== null ? [] : [{ isMade: false, write, error: GONE } as const];
  });
}
