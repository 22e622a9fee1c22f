import type { JsonObject } from '../../../src/protocol/json.js';
import { countOctets } from '../call/cut.js';
import { isChecked } from '../store/checks.js';
import { type Log, replaceNames, textsIn } from '../store/log.js';
import {
  applyPatch,
  completePatch,
  type Defaults,
  type PatchObject,
  propertiesOf,
  widenPatch,
} from '../store/patches.js';
import type { Replica } from '../store/replica.js';
import { isEqual } from '../store/values.js';
import { isLocalKey, type Key, type PendingWrite } from '../store/write.js';
import type { Invocation } from '../transport/transport.js';

/** Writes of one type that go in one /set, which the server makes in one transaction. */
export interface FlushCall {
  /** Names the call to the server: sent again, it is answered and made once. */
  readonly onceKey: string;
  readonly type: string;
  readonly writes: readonly PendingWrite[];
}

export interface FlushLimits {
  readonly maxCalls: number;
  readonly maxObjectsInSet: number;
  /** Octets that all calls may have together. */
  readonly maxOctets: number;
  /** Writes that have to stay unsent. */
  readonly held?: ReadonlySet<PendingWrite>;
}

/**
 * Returns the log with its first writes put into calls, as many as a request may have. Writes whose
 * outcome is unknown stay in the calls that they were sent in.
 */
export function planFlush(replica: Replica, limits: FlushLimits): Log {
  const { log } = replica;
  let call: { readonly onceKey: string; readonly writes: PendingWrite[] } | null = null;
  const sent = new Set<string>();
  let calls = 0;
  let octets = 0;
  const planned: PendingWrite[] = [];
  const byObject = new Map<string, PendingWrite[]>();
  const mates = ({ type, key }: PendingWrite): PendingWrite[] => {
    const others = byObject.get(`${type} ${key}`) ?? [];
    byObject.set(`${type} ${key}`, others);
    return others;
  };
  const add = (write: PendingWrite): void => {
    planned.push(write);
    mates(write).push(write);
  };
  for (const [index, write] of log.entries()) {
    if (limits.held?.has(write)) {
      call = null;
      add(write);
    } else if (write.sentAs === null) {
      const isTwice = mates(write).at(-1)?.sentAs === call?.onceKey;
      if (call === null || isTwice || !fits(call.writes, write, limits.maxObjectsInSet)) {
        if (calls >= limits.maxCalls) return cutPlan(planned, log, index);
        call = { onceKey: crypto.randomUUID(), writes: [] };
        calls += 1;
      }
      const state = replica.cursor(write.type);
      const { sentTo: _, ...prepared } = prepare(write, mates(write), replica);
      const id = isLocalKey(write.key) ? replica.idOf(write.key) : null;
      const next = {
        ...prepared,
        ...keepGiven(write, prepared),
        sentAs: call.onceKey,
        ...(state !== null && { sentIn: state }),
        ...(id !== null && { sentTo: id }),
      };
      const own = octetsOf(next);
      // A write alone is sent, however large: the server says what is wrong with it.
      if (octets > 0 && octets + own > limits.maxOctets) return cutPlan(planned, log, index);
      octets += own;
      call.writes.push(next);
      add(next);
    } else {
      call = null;
      if (!sent.has(write.sentAs)) calls += 1;
      sent.add(write.sentAs);
      octets += octetsOf(write);
      add(write);
    }
  }
  return planned;
}

/**
 * Returns a log of which the writes before `index` are planned. Writes that were made together wait
 * for the next request, unless this one has nothing else.
 */
function cutPlan(planned: Log, log: Log, index: number): Log {
  const start = beginOfGroup(log, index);
  const others = [...planned.slice(0, start), ...log.slice(index)];
  const isAlone = others.every(({ sentAs }) => sentAs === null);
  const end = isAlone || log[start]?.sentAs !== null ? index : start;
  return [...planned.slice(0, end), ...log.slice(end)];
}

/** Returns the index of the first of the writes that were made together with the one at `index`. */
function beginOfGroup(log: Log, index: number): number {
  const group = log[index]?.group;
  let start = index;
  while (group !== undefined && log[start - 1]?.group === group) start -= 1;
  return start;
}

/**
 * Returns the unsent writes for which `isHeld` is true, the writes that need their objects, and all
 * that were made together with one of them. A destroy waits, too, where it might take along what an
 * earlier write that is late frees or names.
 */
export function findHeld(
  replica: Replica,
  isHeld: (write: PendingWrite) => boolean,
): ReadonlySet<PendingWrite> {
  const { log } = replica;
  const held = new Set<PendingWrite>();
  const groups = new Set<string | undefined>();
  const keys = new Set<Key>();
  const named = new Set<string>();
  // A late write has freed something. It makes no difference where nothing is destroyed.
  let isFreeing = log.every(({ kind }) => kind !== 'destroy');
  for (let at = 0; at < log.length; at += 1) {
    const write = log[at] as PendingWrite;
    const { group, kind, key, sentAs } = write;
    if (held.has(write)) continue;
    const isMate = group !== undefined && groups.has(group);
    // The server may destroy what still refers to the object, too, or not let it go.
    const isLate = kind === 'destroy' && (isFreeing || named.has(replica.idOf(key) ?? key));
    const stays = sentAs === null && (isMate || isLate || isHeld(write) || needs(write, keys));
    // A sent write may come again, and so may an update that asks for an unchanged object.
    if (!isFreeing && (stays || sentAs !== null || isChecked(write))) {
      // An object whose create is late refers to nothing yet.
      const isUnmade = keys.has(key) && replica.idOf(key) === null;
      isFreeing = kind === 'destroy' ? !isUnmade : changesReference(write, replica);
      for (const text of textsIn(write)) named.add(replica.idOf(text) ?? text);
    }
    if (!stays) continue;
    held.add(write);
    keys.add(key);
    if (isMate) continue;
    // Those of its group that come before it wait, too.
    groups.add(group);
    at = beginOfGroup(log, at) - 1;
  }
  return held;
}

/** Returns whether an update may take a reference away. */
function changesReference(write: PendingWrite, replica: Replica): boolean {
  return (
    write.kind === 'update' &&
    [...propertiesOf(write.patch)].some((name) => replica.namesObjects(write.type, name))
  );
}

/**
 * Returns the writes of a group as groups that can go in one request each. A request has one write
 * of an object, or its create and one more. No text in it names an object that it makes.
 */
export function divideGroup(writes: Log, replica: Replica): Log {
  let group = writes[0]?.group;
  const objects = new Set<string>();
  const creates = new Set<Key>();
  let isAsked = false;
  return writes.map((write) => {
    const object = `${write.type} ${write.key}`;
    const isNext = isAsked || objects.has(object) || isChecked(write);
    isAsked = isChecked(write);
    if (group !== undefined && (isNext || namesAsText(write, creates, replica))) {
      group = crypto.randomUUID();
      objects.clear();
      creates.clear();
    }
    if (write.kind === 'create') creates.add(write.key);
    else objects.add(object);
    return group === undefined ? write : { ...write, group };
  });
}

/**
 * Returns whether a write of another object can go in a /set behind others. There creates come
 * first, then updates, then destroys.
 */
export function fits(writes: readonly PendingWrite[], next: PendingWrite, max: number): boolean {
  const last = writes.at(-1);
  return (
    last?.type === next.type &&
    last.group === next.group &&
    writes.length < max &&
    isChecked(last) === isChecked(next) &&
    (next.kind === 'destroy' || last.kind !== 'destroy')
  );
}

/**
 * Returns a write as it is sent, however often: with the ids that are known, and with whole
 * properties where a pointer leads through what the object doesn't have. Of an object that isn't
 * known, the server judges the pointers: a whole property would take away what others have set.
 * `earlier` are the writes of the object that come before.
 */
function prepare(write: PendingWrite, earlier: Log, replica: Replica): PendingWrite {
  const named = replaceNames(write, (text) => replica.idOf(text) ?? text);
  if (named.kind !== 'update') return named;
  const defaults = replica.defaultsOf(write.type);
  let object: JsonObject | undefined = replica.base(write.type, write.key);
  for (const one of earlier) {
    if (one.kind === 'create') object = { ...readDefaults(named.patch, defaults), ...one.values };
    if (one.kind === 'update') object = object && applyPatch(object, one.patch, defaults);
  }
  if (named.isWhole) return { ...named, patch: widenPatch(object ?? {}, named.patch, defaults) };
  // Of an object that the client doesn't have, the server has what a pointer leads through.
  return object ? { ...named, patch: completePatch(object, named.patch, defaults) } : named;
}

/** Returns the octets of a write in a request: that has nothing of what the program gave. */
function octetsOf(write: PendingWrite): number {
  return countOctets(JSON.stringify({ ...write, given: undefined }));
}

/** Returns the patch of the program where another one is sent. */
function keepGiven(write: PendingWrite, sent: PendingWrite): { readonly given?: PatchObject } {
  if (write.kind !== 'update' || sent.kind !== 'update') return {};
  return isEqual(write.patch as JsonObject, sent.patch as JsonObject) ? {} : { given: write.patch };
}

/** Returns the properties of a patch as a create leaves them that doesn't give them. */
function readDefaults(patch: PatchObject, defaults: Defaults): JsonObject {
  return Object.fromEntries(Array.from(propertiesOf(patch), (name) => [name, defaults(name)]));
}

/** Returns the calls that the sent writes of a log make, in their order. */
export function callsOf(log: Log): readonly FlushCall[] {
  const calls = new Map<string, FlushCall & { readonly writes: PendingWrite[] }>();
  for (const write of log) {
    const { sentAs, type } = write;
    if (sentAs === null) continue;
    const call = calls.get(sentAs) ?? { onceKey: sentAs, type, writes: [] };
    call.writes.push(write);
    calls.set(sentAs, call);
  }
  return [...calls.values()];
}

/** Returns the creation id of an object made here (RFC 8620 5.3): its key without the mark. */
export function creationId(key: Key): string {
  return key.slice(1);
}

export interface SetContext {
  readonly accountId: string;
  readonly replica: Replica;
  readonly hasOnceKeys: boolean;
  /** Takes the ids of objects that are there, and that the call names by creation ids. */
  readonly createdIds: Record<string, string>;
}

/** Returns the /set of a call. */
export function setCall(
  call: FlushCall,
  { accountId, replica, hasOnceKeys, createdIds }: SetContext,
): Invocation {
  const create: [string, JsonObject][] = [];
  const update: [string, JsonObject][] = [];
  const destroy: string[] = [];
  const keys = new Set(replica.log.flatMap(({ kind, key }) => (kind === 'create' ? key : [])));
  // A call that comes again is as it was: what it names had no id when it was planned.
  const idOf = (text: string, write: PendingWrite): string => {
    const id = replica.idOf(text) ?? text;
    if (!keys.has(text)) {
      // Its create may have been refused since.
      if (!hasOnceKeys || (id === text && !refersTo(write, text, replica))) return id;
      if (id !== text) createdIds[creationId(text)] = id;
    }
    return `#${creationId(text)}`;
  };
  for (const write of call.writes) {
    const named = replaceNames(write, (text) => idOf(text, write));
    const id = named.sentTo ?? idOf(named.key, write);
    if (named.kind === 'create') create.push([creationId(named.key), named.values]);
    else if (named.kind === 'update') update.push([id, named.patch]);
    else destroy.push(id);
  }
  const isGuarded = call.writes.some(isChecked) || (!hasOnceKeys && create.length > 0);
  const args = {
    accountId,
    ...(hasOnceKeys && { onceKey: call.onceKey }),
    ...(isGuarded && { ifInState: call.writes[0]?.sentIn ?? '' }),
    ...(create.length > 0 && { create: Object.fromEntries(create) }),
    ...(update.length > 0 && { update: Object.fromEntries(update) }),
    ...(destroy.length > 0 && { destroy }),
  };
  return [`${call.type}/set`, args, call.onceKey];
}

/** Returns whether a write is of an object of `keys`, or names one. */
export function needs(write: PendingWrite, keys: ReadonlySet<Key>): boolean {
  // Objects that the server has are named by their ids.
  return keys.size > 0 && (keys.has(write.key) || textsIn(write).some((text) => keys.has(text)));
}

/** Returns the writes that can't be made any more since the creates of `keys` were refused. */
export function findDependants(log: Log, keys: ReadonlySet<Key>): readonly PendingWrite[] {
  const gone = new Set(keys);
  return log.filter((write) => {
    const depends = needs(write, gone);
    if (depends && write.kind === 'create') gone.add(write.key);
    return depends;
  });
}

/** Returns whether a write is of an object made here, or refers to it. */
function refersTo(write: PendingWrite, text: string, replica: Replica): boolean {
  if (!isLocalKey(text) || write.blobs?.includes(text)) return false;
  return text === write.key || textsIn(pickReferences(write, replica)).includes(text);
}

/**
 * Returns whether a write names a new object of `creates` in a text that is no reference: the
 * server puts no id there.
 */
export function namesAsText(
  write: PendingWrite,
  creates: ReadonlySet<Key>,
  replica: Replica,
): boolean {
  if (creates.size === 0) return false;
  const texts = textsIn(pickReferences(write, replica, false));
  return texts.some((text) => creates.has(text) && replica.idOf(text) === null);
}

/** Returns a write with those properties alone that may name objects, or with the others alone. */
export function pickReferences(
  write: PendingWrite,
  replica: Replica,
  areWanted = true,
): PendingWrite {
  const pick = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(
      Object.entries(values).filter(
        ([name]) => replica.namesObjects(write.type, name.split('/')[0] ?? '') === areWanted,
      ),
    );
  if (write.kind === 'create') return { ...write, values: pick(write.values) };
  if (write.kind === 'update') return { ...write, patch: pick(write.patch) };
  return write;
}
