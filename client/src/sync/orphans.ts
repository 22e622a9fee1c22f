import { namesIn } from '../store/log.js';
import type { Replica } from '../store/replica.js';
import { isLocalKey, type Key, type PendingWrite } from '../store/write.js';
import { DEPENDENCY_FAILED, type Outcome, type Refusal } from './outcomes.js';

const GONE: Refusal = Object.freeze({ type: 'notFound', description: 'The object is gone.' });

const LACKS_FILE: Refusal = Object.freeze({
  type: 'dependencyFailed',
  description: 'A file that it needs was not uploaded.',
});

/**
 * Returns the ends of unsent writes that can't be made any more: they are of objects made here that
 * are nowhere, or name such objects. The program did not know yet that the create was taken back or
 * refused. Or they need a file that the server will never have.
 */
export function findOrphans(
  replica: Replica,
  lacksFile: (write: PendingWrite) => boolean = () => false,
): readonly Outcome[] {
  const { log } = replica;
  const creates = new Set(log.flatMap(({ kind, key }) => (kind === 'create' ? [key] : [])));
  const isGone = (key: Key): boolean =>
    isLocalKey(key) && !creates.has(key) && replica.aliasOf(key) === undefined;
  const judge = (write: PendingWrite): Refusal | null => {
    const { key, sentAs, blobs } = write;
    if (sentAs !== null) return null;
    if (lacksFile(write)) return LACKS_FILE;
    // Uploads have keys of their own.
    const isLacking = [...namesIn(write)].some((name) => isGone(name) && !blobs?.includes(name));
    if (isLacking) return DEPENDENCY_FAILED;
    return isGone(key) ? GONE : null;
  };
  return log.flatMap((write) => {
    const error = judge(write);
    if (error === null) return [];
    if (write.kind === 'create') creates.delete(write.key);
    return [{ isMade: false, write, error } as const];
  });
}
