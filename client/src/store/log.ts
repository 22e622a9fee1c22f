import { applyPatch, type Defaults, mapPatch, mergePatches } from './patches.js';
import { mapTexts } from './values.js';
import { isLocalKey, type Key, type PendingUpdate, type PendingWrite } from './write.js';

/** Writes in the order in which they were made. Never changed: each step gives another one. */
export type Log = readonly PendingWrite[];

/**
 * Returns the log with a write at its end. Writes of one object become one as long as none of them
 * was sent: an update goes into the create or the update before it, a destroy takes them away.
 */
export function append(log: Log, write: PendingWrite, defaults: Defaults): Log {
  if (write.kind === 'create') return [...log, write];
  const at = log.findLastIndex((other) => other.type === write.type && other.key === write.key);
  const before = log[at];
  if (before === undefined || !isFresh(before)) return [...log, write];
  // Writes that were made together stay as they are.
  if (before.group !== write.group) return [...log, write];
  if (write.kind === 'destroy') return appendDestroy(log, at, write);
  if (write.kind !== 'update' || !canJoin(log, at, write)) return [...log, write];
  const ids = [...before.ids, ...write.ids];
  if (before.kind === 'create') {
    const values = applyPatch(before.values, write.patch, defaults);
    return log.with(at, joinBlobs({ ...before, ids, values }, write));
  }
  if (before.kind !== 'update') return [...log, write];
  const patch = mergePatches(before.patch, write.patch, defaults);
  return log.with(at, joinBlobs({ ...before, ids, patch }, write));
}

/** The server may have made a write that is sent again: another one isn't joined to it. */
function isFresh({ sentAs, sentIn }: PendingWrite): boolean {
  return sentAs === null && sentIn === undefined;
}

/** Returns a write that has taken in another one, with the uploads that it still names. */
function joinBlobs(write: PendingWrite, other: PendingWrite): PendingWrite {
  if (write.blobs === undefined && other.blobs === undefined) return write;
  const names = namesIn(write);
  const blobs = new Set([...(write.blobs ?? []), ...(other.blobs ?? [])]);
  return { ...write, blobs: [...blobs].filter((key) => names.has(key)) };
}

/** Returns a log in which unsent writes of one object are one, as far as they may be. */
export function coalesce(log: Log, defaultsOf: (type: string) => Defaults): Log {
  /** The last write of each object. */
  const last = new Map<string, PendingWrite>();
  let made: PendingWrite[] = [];
  for (const write of log) {
    const object = `${write.type} ${write.key}`;
    const before = last.get(object);
    const canJoin = before && before.group === write.group && isFresh(before) && isFresh(write);
    // Each look through the log takes its time: only writes that may be joined need one.
    if (canJoin) made = [...append(made, write, defaultsOf(write.type))];
    else made.push(write);
    last.set(object, write);
  }
  return made.length === log.length ? log : made;
}

/** Returns how many entries at their begin two logs have in common. */
export function countCommon(one: Log, other: Log): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

/** A destroy takes the unsent updates of its object away, and the create of a new one too. */
function appendDestroy(log: Log, at: number, write: PendingWrite): Log {
  const before = log[at];
  // It may have taken away what refers to an object that was destroyed since.
  const isFreed = log.some(({ kind }, index) => index > at && kind === 'destroy');
  if (before?.kind === 'update' && !isFreed) {
    const ids = [...before.ids, ...write.ids];
    return append(log.toSpliced(at, 1), { ...write, ids }, () => null);
  }
  const isNeeded = log.some((other, index) => index > at && namesIn(other).has(write.key));
  return before?.kind === 'create' && !isNeeded ? log.toSpliced(at, 1) : [...log, write];
}

/** An update goes no further ahead than behind the writes that it names, or its own create. */
function canJoin(log: Log, at: number, write: PendingUpdate): boolean {
  const before = log[at];
  if (write.unchanged !== null || (before?.kind === 'update' && before.unchanged !== null))
    return false;
  const names = namesIn(write);
  const first = before?.kind === 'create' ? at : at + 1;
  return !log.some((other, index) => index >= first && names.has(other.key));
}

/** Returns the keys of objects made here that a write refers to. */
export function namesIn(write: PendingWrite): ReadonlySet<Key> {
  return new Set(textsIn(write).filter(isLocalKey));
}

/** Returns all texts of a write that may name objects. */
export function textsIn(write: PendingWrite): readonly string[] {
  const texts: string[] = [];
  replaceNames(write, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Returns a write with the texts replaced that may name objects. */
export function replaceNames<Write extends PendingWrite>(
  write: Write,
  replace: (text: string) => string,
): Write {
  if (write.kind === 'create') return { ...write, values: mapTexts(write.values, replace) };
  if (write.kind === 'update') return { ...write, patch: mapPatch(write.patch, replace) };
  return write;
}

/** Returns the ends of writes that are in no log: others have made up for them. */
export function findCancelled(
  before: Log,
  after: Log,
): readonly {
  readonly isMade: true;
  readonly write: PendingWrite;
  readonly id: string;
}[] {
  const start = countCommon(before, after);
  const kept = new Set(after.slice(start).flatMap(({ ids }) => ids));
  return before.slice(start).flatMap((write) => {
    const ids = write.ids.filter((id) => !kept.has(id));
    return ids.length === 0
      ? []
      : [{ isMade: true, write: { ...write, ids }, id: write.key } as const];
  });
}
