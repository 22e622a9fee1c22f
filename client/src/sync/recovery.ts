import type { JsonObject } from '../../../src/protocol/json.js';
import { hasEffect, isChecked } from '../store/checks.js';
import { type Log, replaceNames } from '../store/log.js';
import type { Alias, Change, Replica, ServerObjects } from '../store/replica.js';
import { isEqual } from '../store/values.js';
import {
  isLocalKey,
  type Key,
  type PendingCreate,
  type PendingWrite,
  unsend,
} from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { Draft } from './draft.js';
import type { MadeCall } from './failed-calls.js';
import type { FetchQueue } from './fetch-queue.js';
import type { Outcome } from './outcomes.js';
import { takeObjects, textsOf } from './pull.js';
import type { SyncOptions } from './sync-options.js';
import { MOST_FAILURES, TRANSIENT } from './transient.js';
import { answerOf } from './wire.js';

/**
 * Servers without keys for calls can't tell a call that comes again. A call that creates then names
 * the state in which it was sent, so it is made in that state or never. Where its answer is lost,
 * the client looks for what has been created since that state. So it does where a server that knows
 * keys doesn't take a call again that it has made.
 */

/** A call whose answer was lost. */
export interface Lost {
  readonly sentAs: string | null;
  readonly type: string;
  /** The ids of what was created from the state in which it was sent up to `state`. */
  readonly created: readonly string[];
  readonly state: string;
  /** There are further changes: the server tells a part at once. */
  readonly hasMore: boolean;
  /** It was made, and is not sent again as another call. */
  readonly isMade?: boolean;
  /** It was made, and ends here. */
  readonly isLast?: boolean;
}

export interface Recovery {
  readonly change: Pick<Change, 'aliases' | 'log'>;
  readonly outcomes: readonly Outcome[];
  /** The outcome of each write of the call is known, or the next changes can be asked for. */
  readonly hasMoved: boolean;
  /** Nothing more can be found out. */
  readonly isWhole: boolean;
}

type Options = Pick<SyncOptions, 'accountId' | 'replica' | 'limits'>;

/** Finds out what has become of calls that have lost their answers. */
export class LostCalls {
  readonly #options: Options;
  readonly #wanted: FetchQueue;
  /** The last one, as far as it is known. */
  #last: Lost | null = null;
  /** The objects of one that was made, so far. */
  #found = new Map<string, JsonObject | null>();
  /** How often the server has not told what was created since it was made. */
  #failures = 0;

  constructor(options: Options, wanted: FetchQueue) {
    this.#options = options;
    this.#wanted = wanted;
  }

  /** Returns the first one of the log; `made` is one that was made. */
  find(made: MadeCall | null): Lost | null {
    const { replica } = this.#options;
    const lost = findLost(replica.log, this.#last, made?.onceKey);
    if (lost?.sentAs !== this.#last?.sentAs) {
      this.#found = new Map();
      this.#failures = 0;
    }
    if (lost === null) return null;
    const isMade = lost.sentAs === made?.onceKey;
    // Where it was sent before its type had a state, nothing of the type was read since.
    const state = lost.state || (replica.cursor(lost.type) ?? '');
    return { ...lost, state, isMade, isLast: isMade && made.isLast };
  }

  /**
   * Returns the calls that ask for what was created since. Nothing else is read of the type of a
   * call that was made, so its objects are asked for with it.
   */
  callsOf(lost: Lost): readonly Invocation[] {
    const { type, state, sentAs, isMade } = lost;
    const { accountId, replica, limits } = this.#options;
    const since = `${type}.since`;
    if (!isMade) return [[`${type}/changes`, { accountId, sinceState: state }, since]];
    const max = limits().maxObjectsInGet;
    const changed = replica.log.filter((each) => each.sentAs === sentAs && each.kind !== 'create');
    const own = changed.flatMap(({ key }) => replica.idOf(key) ?? []);
    // The objects of earlier rounds may be older than the copy by now.
    const ids = [...own, ...lost.created].slice(0, max);
    const created = { resultOf: since, name: `${type}/changes`, path: '/created' };
    return [
      [`${type}/changes`, { accountId, sinceState: state, maxChanges: max }, since],
      [`${type}/get`, { accountId, '#ids': created }, `${type}.made`],
      [`${type}/get`, { accountId, ids }, `${type}.own`],
    ];
  }

  /** Ends what has come of a lost call; all of it once all changes of its type are there. */
  read(lost: Lost, response: Response, draft: Draft): Recovery | null {
    if (lost.isMade) return this.#readMade(lost, response, draft);
    const { type } = lost;
    const told = readCreated(lost, response);
    const objects = draft.objects(type);
    const known = told && dropGone(told, objects);
    this.#last = known ?? lost;
    const isPulled = draft.pulled.get(type);
    if (known === null || isPulled === undefined) return null;
    const isWhole = isPulled && !known.hasMore;
    const missing = known.created.filter((id) => !objects.has(id));
    if (isWhole) this.#wanted.add(type, missing);
    if (this.#wanted.types.has(type)) return null;
    return recover(known, this.#options.replica, { objects, isWhole });
  }

  #readMade(lost: Lost, response: Response, draft: Draft): Recovery | null {
    const { type } = lost;
    const told = readCreated(lost, response);
    if (told === null) this.#failures += 1;
    // Nothing else is written meanwhile: it comes again without that.
    const isUntold = told === null && this.#failures >= MOST_FAILURES;
    const known = isUntold ? { ...lost, hasMore: false } : told;
    this.#last = known ?? lost;
    for (const name of ['made', 'own']) {
      const got = answerOf(response, `${type}.${name}`);
      if (!got.isError) takeObjects(got.args, this.#found);
    }
    if (known === null) return null;
    if (known.hasMore) return { change: {}, outcomes: [], hasMoved: true, isWhole: false };
    const found = this.#found;
    const recovery = recover(known, this.#options.replica, { objects: found, isWhole: true });
    const ended = recovery.outcomes.map((outcome) => (outcome.isMade ? outcome.id : ''));
    const objects = new Map([...found].filter(([id]) => ended.includes(id)));
    draft.takeEarly({ type, objects, state: null });
    return recovery;
  }
}

/**
 * Returns the first call of a log that was sent and has no answer, or the one that was made; null
 * where there is none. `known` is one of which a part is known already.
 */
export function findLost(log: Log, known: Lost | null, made?: string): Lost | null {
  const sent = log.find(({ sentAs }) => sentAs !== null && sentAs === (made ?? sentAs));
  if (sent === undefined) return null;
  const { sentAs, type, sentIn: state = '' } = sent;
  return sentAs === known?.sentAs ? known : { sentAs, type, created: [], state, hasMore: false };
}

/** Returns a lost call with what else was created; null where the server will tell it later. */
export function readCreated(lost: Lost, response: Response): Lost | null {
  const changes = answerOf(response, `${lost.type}.since`);
  // Where the server has forgotten the state, nobody knows more.
  if (changes.isError) return TRANSIENT.has(changes.type) ? null : { ...lost, hasMore: false };
  const { created, newState, hasMoreChanges } = changes.args;
  const state = String(newState);
  // A server that stays where it is and has more would be asked for ever.
  const hasMore = hasMoreChanges === true && state !== lost.state;
  return { ...lost, created: [...lost.created, ...textsOf(created)], state, hasMore };
}

/** Returns a lost call without the objects that are gone: each would be asked for again. */
function dropGone(lost: Lost, objects: ServerObjects): Lost {
  return { ...lost, created: lost.created.filter((id) => objects.get(id) !== null) };
}

/** A part of the changes of the type of a lost call. */
export interface Pulled {
  readonly objects: ServerObjects | undefined;
  /** There are no further changes. */
  readonly isWhole: boolean;
}

/**
 * Ends the creates of a lost call that the server has made: an object that was created since and
 * has all that they give. They end in the commit that brings their objects, which are never shown
 * twice. All other writes of the call are sent again once all changes are there.
 */
export function recover(
  lost: Lost,
  replica: Replica,
  { objects: pulled, isWhole }: Pulled,
): Recovery {
  const { type, created, hasMore, isMade = false, isLast = false } = lost;
  const objects = new Map<string, JsonObject>();
  const made = new Set(replica.log.flatMap(({ key, kind }) => (kind === 'create' ? [key] : [])));
  for (const id of created) {
    const key = replica.keyOf(type, id);
    const object = pulled?.get(id) ?? replica.base(type, key);
    // A tab that has lost its turn may know an object that the log is about to make.
    if (object !== undefined && (key === id || made.has(key))) objects.set(id, object);
  }
  const free = new FreeObjects(objects);
  const aliases = new Map<Key, Alias>();
  const outcomes: Outcome[] = [];
  const nameOf = (text: string): string => aliases.get(text)?.id ?? replica.idOf(text) ?? text;
  const findMade = (write: PendingCreate): string | undefined => {
    const id = findAgain(write, objects, replica) ?? findEqual(write, free, { replica, nameOf });
    if (id === undefined) return undefined;
    objects.delete(id);
    aliases.set(write.key, { type, id });
    return id;
  };
  const log = replica.log.flatMap((write): readonly PendingWrite[] => {
    if (write.sentAs !== lost.sentAs) return [write];
    const id =
      write.kind === 'create'
        ? findMade(write)
        : isWhole || isChecked(write)
          ? findWritten(write, replica, { objects: pulled, isMade, isLast })
          : undefined;
    if (id === undefined) return [isWhole && !isMade ? unsend(write) : write];
    outcomes.push({ isMade: true, write, id });
    return [];
  });
  const hasMoved = isWhole || hasMore;
  // A call that comes again as it was is whole.
  const isKept = isMade && !isLast && log.some(({ sentAs }) => sentAs === lost.sentAs);
  if (isKept) return { change: { aliases }, outcomes: [], hasMoved, isWhole };
  return { change: { aliases, log }, outcomes, hasMoved, isWhole };
}

/**
 * Returns the id of an object where it has the effect of an update, or is gone by a destroy. One
 * that isn't here is gone if the call is known to be made. A call that ends may have been refused,
 * or others have changed the object since. Sent again, an update of an unchanged object would take
 * its own effect for a conflict.
 */
function findWritten(
  write: Exclude<PendingWrite, PendingCreate>,
  replica: Replica,
  {
    objects: pulled,
    isMade,
    isLast,
  }: Pick<Pulled, 'objects'> & Required<Pick<Lost, 'isMade' | 'isLast'>>,
): string | undefined {
  const { type, key } = write;
  const id = replica.idOf(key) ?? key;
  const object = pulled?.has(id) ? pulled.get(id) : replica.base(type, key);
  const isDone = object
    ? write.kind === 'update' && hasEffect(object, write.patch, replica.defaultsOf(type))
    : write.kind === 'destroy' && (object === null || isMade);
  return isDone || (isLast && !isLocalKey(id)) ? id : undefined;
}

/** Objects that no create is known to have made. */
class FreeObjects {
  readonly #objects: ReadonlyMap<string, JsonObject>;
  /** Their ids by some of their values, by the names of these. */
  readonly #indexes = new Map<string, Map<string, string[]>>();

  constructor(objects: ReadonlyMap<string, JsonObject>) {
    this.#objects = objects;
  }

  /** Returns those that may have some values, in their order: many creates are looked for. */
  *find(values: JsonObject): Iterable<readonly [id: string, object: JsonObject]> {
    const names = Object.keys(values).sort();
    const textOf = (object: JsonObject): string =>
      JSON.stringify(names.map((name) => object[name]));
    const name = JSON.stringify(names);
    const index = this.#indexes.get(name) ?? new Map<string, string[]>();
    if (!this.#indexes.has(name))
      for (const [id, object] of this.#objects) {
        const text = textOf(object);
        const ids = index.get(text);
        if (ids === undefined) index.set(text, [id]);
        else ids.push(id);
      }
    this.#indexes.set(name, index);
    for (const id of index.get(textOf(values)) ?? []) {
      const object = this.#objects.get(id);
      if (object !== undefined) yield [id, object];
    }
  }
}

/** Returns the id that an earlier round has found: others may have changed the object since. */
function findAgain(
  { type, key }: PendingCreate,
  objects: ReadonlyMap<string, JsonObject>,
  replica: Replica,
): string | undefined {
  const id = replica.idOf(key);
  return id !== null && objects.has(id) && replica.keyOf(type, id) === key ? id : undefined;
}

/** A create may name others of its call, and itself. */
function findEqual(
  write: PendingCreate,
  free: FreeObjects,
  { replica, nameOf }: { readonly replica: Replica; readonly nameOf: (text: string) => string },
): string | undefined {
  // The server tells no secrets.
  const valuesFor = (id: string): JsonObject =>
    replica.withoutSecrets(
      write.type,
      replaceNames(write, (text) => (text === write.key ? id : nameOf(text))).values,
    );
  const plain = Object.entries(valuesFor(write.key)).filter(
    ([, value]) => typeof value !== 'object' && value !== write.key,
  );
  for (const [id, object] of free.find(Object.fromEntries(plain))) {
    const values = valuesFor(id);
    if (Object.keys(values).every((name) => isEqual(values[name], object[name]))) return id;
  }
  return undefined;
}
