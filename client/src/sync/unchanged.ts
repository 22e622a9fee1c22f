import type { JsonObject } from '../../../src/protocol/json.js';
import { type CheckedUpdate, findDifferent, isChecked, pick } from '../store/checks.js';
import type { Replica } from '../store/replica.js';
import { mapTexts } from '../store/values.js';
import type { Key, PendingWrite } from '../store/write.js';
import { findHeld, namesAsText } from './flush.js';
import type { Outcome, Refusal } from './outcomes.js';

/**
 * The client compares the properties that an update has seen with its copy, which may be older than
 * the server. So the /set names the state of the copy: it is made in that state or not at all, and
 * in that state the copy is what the server has. Where the server has another state, the client
 * reads the changes and compares again. Any other write of the type would move the state: such an
 * update waits for earlier ones, and shares its /set with its like alone. It holds up later writes
 * of its object, and destroys where it may free what they would take along.
 */

/** Returns the writes of `held`, and the other unsent ones whose turn hasn't come. */
export function findWaiting(
  replica: Replica,
  held: ReadonlySet<PendingWrite>,
  isGuarded = false,
): ReadonlySet<PendingWrite> {
  const waiting = new Set(held);
  // Calls whose outcomes are unknown: others of their types wait for the answers.
  const open = new Set(replica.log.flatMap(({ sentAs, type }) => (sentAs === null ? [] : type)));
  /** The types and objects of writes before, and the objects that they make. */
  const types = new Set<string>();
  const objects = new Set<string>();
  const creates = new Set<Key>();
  /** The type of the write before, where that goes in the next request with its state. */
  let joined: string | null = null;
  for (const write of replica.log) {
    const { type, kind, key, sentAs } = write;
    const isUnsent = sentAs === null;
    const needsId = isUnsent && namesAsText(write, creates, replica);
    if (kind === 'create') creates.add(key);
    if (waiting.has(write)) continue;
    const object = `${type} ${key}`;
    const asks = isChecked(write);
    const isLast: boolean = asks && types.has(type) && joined !== type;
    const isStateless = (isGuarded || asks) && replica.cursor(type) === null;
    const isOpen = objects.has(object) || open.has(type);
    const isEarly: boolean = isLast || isStateless || needsId || isOpen;
    if (isUnsent && isEarly) waiting.add(write);
    // A call may fail and come again: a later one of its object would have been made before it.
    if (kind !== 'create') objects.add(object);
    types.add(type);
    joined = asks && isUnsent && !isEarly ? type : null;
  }
  return findHeld(replica, (write) => waiting.has(write));
}

/** Returns the ends of unsent updates whose properties somebody has changed. */
export function findConflicts(
  replica: Replica,
  waiting: ReadonlySet<PendingWrite>,
): readonly Outcome[] {
  return replica.log.flatMap((write) => {
    if (!isChecked(write) || write.sentAs !== null || waiting.has(write)) return [];
    const error = judge(write, replica);
    return error === null ? [] : [{ isMade: false, write, error } as const];
  });
}

function judge({ type, key, unchanged }: CheckedUpdate, replica: Replica): Refusal | null {
  const base = replica.base(type, key);
  // An object that is gone is the server's to tell of.
  if (base === undefined) return null;
  const seen = mapTexts(unchanged, (text) => replica.idOf(text) ?? text) as JsonObject;
  const names = findDifferent(seen, base);
  if (names.length === 0) return null;
  const description = `Changed since: ${names.join(', ')}.`;
  return { type: 'conflict', description, seen: pick(seen, names), current: pick(base, names) };
}
