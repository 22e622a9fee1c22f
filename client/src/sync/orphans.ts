import { namesIn } from '../store/log.js';
import type { Replica } from '../store/replica.js';
import { isLocalKey, type Key, type PendingWrite } from '../store/write.js';
import { pickReferences } from './flush.js';
import { DEPENDENCY_FAILED, makeRefusal, type Outcome, type Refusal } from './outcomes.js';
import type { SyncOptions } from './sync-options.js';

export const NOT_FOUND = makeRefusal('notFound', 'The object is not there.');

const LACKS_FILE = makeRefusal('dependencyFailed', 'A file that it needs is not there.');

const LACKS_STATE = makeRefusal('forbidden', 'The server tells nothing of it.');

/**
 * Returns the ends of unsent writes that can't be made any more: they are of objects made here that
 * are nowhere, or name such objects. A tab may make such a write before it knows that the create
 * was taken back or refused. The create may come once more, behind the write. Or a write needs a
 * file that the server will never have, or a state that it doesn't tell.
 */
export function findOrphans(
  replica: Replica,
  { isHeld, lacksFile }: Pick<SyncOptions, 'isHeld' | 'lacksFile'>,
  lacksState: (write: PendingWrite) => boolean,
): readonly Outcome[] {
  // A create that is made once more stands behind writes of tabs that knew of the first one.
  const creates = new Set<Key>();
  const isGone = (key: Key): boolean =>
    isLocalKey(key) && !creates.has(key) && replica.aliasOf(key) === undefined;
  const isLacking = (write: PendingWrite): boolean => {
    const { blobs = [] } = write;
    // Uploads have keys of their own.
    const names = [...namesIn(pickReferences(write, replica))];
    return names.some((name) => isGone(name) && !blobs.includes(name));
  };
  const judge = (write: PendingWrite): Refusal | null => {
    const { key, sentAs } = write;
    // A held write may need something that is in the store, which is lost.
    if (sentAs !== null || isHeld(write)) return null;
    if (lacksFile(write)) return LACKS_FILE;
    if (lacksState(write)) return LACKS_STATE;
    if (isLacking(write)) return DEPENDENCY_FAILED;
    return isGone(key) ? NOT_FOUND : null;
  };
  return replica.log.flatMap((write) => {
    if (write.kind === 'create') creates.add(write.key);
    const error = judge(write);
    if (error === null) return [];
    if (write.kind === 'create') creates.delete(write.key);
    return [{ isMade: false, write, error } as const];
  });
}
