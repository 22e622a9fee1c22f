import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { isChecked, lookAnew, pick } from '../store/checks.js';
import { type Log, namesIn, replaceNames } from '../store/log.js';
import { applyPatch } from '../store/patches.js';
import type { Alias, Change, Replica, Row } from '../store/replica.js';
import { isLocalKey, type Key, type PendingWrite, unsend } from '../store/write.js';
import { creationId, type FlushCall, findDependants, needs } from './flush.js';
import { KEY_IS_USED, MOST_FAILURES, TRANSIENT } from './transient.js';
import type { CallAnswer } from './wire.js';

/** Why a write was not made: a SetError, or the error of its whole call. */
export interface Refusal {
  readonly type: string;
  readonly description?: string;
  readonly [member: string]: JsonValue | undefined;
}

/** Returns a refusal of this client. */
export function makeRefusal(type: string, description: string): Refusal {
  return Object.freeze({ type, description });
}

/** The end of a write; a refused one stays told until somebody takes note of it. */
export type Outcome =
  | { readonly isMade: true; readonly write: PendingWrite; readonly id: string }
  | { readonly isMade: false; readonly write: PendingWrite; readonly error: Refusal };

/** The changes that the answers of a flush make: all of them in one commit. */
export interface FlushResult {
  readonly change: Pick<Change, 'aliases' | 'log'> & {
    readonly objects: Map<string, Map<string, JsonObject | null>>;
  };
  readonly outcomes: readonly Outcome[];
  /** Why writes have to be sent again, after a pause; null where none have. */
  readonly failure: string | null;
  /** A call had more objects than the server takes at once: its writes go out in smaller ones. */
  readonly isTooLarge: boolean;
  /** The calls whose outcomes are unknown behind their errors. */
  readonly open: readonly FailedCall[];
}

/** A call, and the error that answers it. */
export interface FailedCall {
  readonly call: FlushCall;
  readonly error: JsonObject & { readonly type: string };
}

/** Returns a refused write as it is sent once more; null: the refusal is final. */
export type Repair = (write: PendingWrite, error: Refusal) => PendingWrite | null;

/** A call of a flush, and its answer. */
export interface AnsweredCall {
  readonly call: FlushCall;
  readonly answer: CallAnswer;
  /** Nobody knows which of its writes were made. */
  readonly isOpen?: boolean;
  /** An earlier request may have had it. */
  readonly isAgain?: boolean;
}

/** Reads the answers of the /set calls of a flush. */
export function readFlush(
  replica: Replica,
  answers: readonly AnsweredCall[],
  repair: Repair = () => null,
): FlushResult {
  const reader = new FlushReader(replica, repair);
  reader.noteAbsent(answers.flatMap(({ call }) => call.writes));
  for (const { call, answer, isOpen = false, isAgain = false } of answers) {
    if (answer.isError && isOpen) reader.leave(call, { ...answer.args, type: answer.type });
    else reader.read(call, answer, isAgain);
  }
  return reader.finish();
}

/** Ends writes that are not made, whatever may pass. */
export function refuseWrites(replica: Replica, writes: Log, error: Refusal): FlushResult {
  const reader = new FlushReader(replica, () => null);
  for (const write of writes) reader.refuse(write, error);
  return reader.finish();
}

class FlushReader {
  readonly #replica: Replica;
  readonly #repair: Repair;
  readonly #objects = new Map<string, Map<string, JsonObject | null>>();
  readonly #aliases = new Map<Key, Alias>();
  readonly #outcomes: Outcome[] = [];
  /** Writes that are sent again, as they are then. */
  readonly #again = new Map<PendingWrite, PendingWrite>();
  #failure: string | null = null;
  #isTooLarge = false;
  readonly #open: FailedCall[] = [];
  readonly #ended = new Set<PendingWrite>();
  /** The writes of calls that are answered here. */
  readonly #answered = new Set<PendingWrite>();
  /** Objects that were not made: for good, or until their creates are sent again. */
  readonly #refusedKeys = new Set<Key>();
  readonly #repeatedKeys = new Set<Key>();
  /** Objects that may have been made, under ids that nobody knows yet. */
  readonly #openKeys = new Set<Key>();
  /** Properties that the server has reported of written objects, by types and keys. */
  readonly #reported = new Map<string, JsonObject>();

  constructor(replica: Replica, repair: Repair) {
    this.#replica = replica;
    this.#repair = repair;
  }

  /** Notes the creates that are not among the writes of a request: some of these may need them. */
  noteAbsent(writes: Log): void {
    const asked = new Set(writes);
    for (const write of this.#replica.log)
      if (write.kind === 'create' && !asked.has(write)) this.#repeatedKeys.add(write.key);
  }

  /** Leaves a call as it is: it comes again. */
  leave(call: FlushCall, error: FailedCall['error']): void {
    this.#open.push({ call, error });
    if (error.type !== KEY_IS_USED) this.#failure ??= error.type;
    for (const { kind, key } of call.writes) {
      if (kind !== 'create') continue;
      this.#repeatedKeys.add(key);
      this.#openKeys.add(key);
    }
  }

  read(call: FlushCall, answer: CallAnswer, isAgain: boolean): void {
    if (answer.isError && answer.type === 'requestTooLarge' && call.writes.length > 1) {
      this.#isTooLarge = true;
      for (const write of call.writes) this.#sendAnew(write);
      return;
    }
    // Nothing of it was made: the copy is compared again once the changes are there.
    if (answer.isError && answer.type === 'stateMismatch' && call.writes.some(isChecked)) {
      for (const write of call.writes) this.#sendAnew(write);
      return;
    }
    // The server names an object by the id that a missing answer gives: both calls come again.
    if (!answer.isError && call.writes.some((write) => this.#isUntold(write, answer.args))) {
      this.leave(call, { type: 'serverUnavailable' });
      return;
    }
    for (const write of call.writes) this.#answered.add(write);
    for (const write of call.writes) {
      const wasBlind = isAgain && this.#wasBlind(write);
      const ending = answer.isError
        ? { ...answer.args, type: answer.type }
        : this.#endOf(write, answer.args, wasBlind);
      if (ending !== null && wasBlind) this.#sendAnew(write);
      else if (ending === null) this.#ended.add(write);
      else if (needs(write, this.#repeatedKeys)) this.#sendAnew(write);
      else if (needs(write, this.#refusedKeys)) this.refuse(write, DEPENDENCY_FAILED);
      else if (!this.#repeat(write, ending)) this.refuse(write, ending);
      if (write.kind === 'create' && this.#again.has(write)) this.#repeatedKeys.add(write.key);
    }
  }

  #sendAnew(write: PendingWrite): void {
    this.#again.set(write, unsend(write));
    if (write.kind === 'create') this.#repeatedKeys.add(write.key);
  }

  /** Puts a write back into the log where its error may pass. */
  #repeat(write: PendingWrite, error: Refusal): boolean {
    const { type } = error;
    const repaired = this.#repair(write, error);
    if (repaired !== null) {
      this.#again.set(write, repaired);
      return true;
    }
    // The state isn't the one in which it was sent: it counts as lost, and is looked for.
    if (type === 'stateMismatch' && write.sentIn !== undefined) {
      this.#again.set(write, write);
      return true;
    }
    // A parent of a pointer may have gone: the changes come in the same answer.
    if (type === 'invalidPatch' && write.kind === 'update' && !write.isWhole) {
      this.#again.set(write, { ...unsend(write), isWhole: true });
      return true;
    }
    const failures = (write.failures ?? 0) + (type === 'serverFail' ? 1 : 0);
    if (!TRANSIENT.has(type) || failures >= MOST_FAILURES) return false;
    this.#again.set(write, { ...unsend(write), ...(failures > 0 && { failures }) });
    this.#failure ??= type;
    return true;
  }

  finish(): FlushResult {
    const { log } = this.#replica;
    const dependants = findDependants(log, this.#refusedKeys);
    for (const write of dependants) {
      // A call that comes again is as it was: the server refuses the write, too.
      const isOpen = write.sentAs !== null && !this.#answered.has(write);
      if (!isOpen && !this.#ended.has(write)) this.refuse(write, DEPENDENCY_FAILED);
    }
    const reported = new Map(this.#reported);
    const rest = log
      .filter((write) => !this.#ended.has(write))
      .map((write) => {
        const object = `${write.type} ${write.key}`;
        const told = reported.get(object);
        if (told === undefined || write.kind !== 'update') return this.#again.get(write) ?? write;
        // Later ones have seen what this one makes.
        const after = applyPatch(told, write.patch, this.#replica.defaultsOf(write.type));
        reported.set(object, pick(after, Object.keys(told)));
        // It has seen what the client took for the effect of the one before.
        return lookAnew(this.#again.get(write) ?? write, told);
      });
    return {
      change: { objects: this.#objects, aliases: this.#aliases, log: rest },
      outcomes: this.#outcomes,
      failure: this.#failure,
      isTooLarge: this.#isTooLarge,
      open: this.#open,
    };
  }

  refuse(write: PendingWrite, error: Refusal): void {
    this.#ended.add(write);
    this.#outcomes.push({ isMade: false, write, error });
    if (write.kind === 'create') this.#refusedKeys.add(write.key);
  }

  /** Notes the effect of a write; returns its error where it has none. */
  #endOf(write: PendingWrite, response: JsonObject, wasBlind: boolean): Refusal | null {
    const { kind, key, type } = write;
    const name = kind === 'create' ? creationId(key) : (this.#idOf(key) ?? key);
    const errors = membersOf(response, REFUSED[kind]);
    // A server may name an object of the same request as the call does.
    const error = errors[name] ?? errors[`#${creationId(key)}`];
    if (isJsonObject(error) && (wasBlind || !this.#isGone(write, error))) {
      // A server may tell beside the refusal what has become of the object.
      const told = kind === 'update' && membersOf(response, 'updated')[name];
      const before = told && this.#objectOf(type, key);
      if (before && isJsonObject(told)) this.#take(type, name, { ...before, ...told });
      return errorOf(error);
    }
    if (kind === 'destroy') this.#take(type, name, null);
    else if (!this.#takeReported(write, name, response)) return UNANSWERED;
    this.#outcomes.push({ isMade: true, write, id: this.#idOf(key) ?? name });
    return null;
  }

  /** Returns whether an update has no answer by the names that its object is known by. */
  #isUntold({ kind, key }: PendingWrite, response: JsonObject): boolean {
    if (kind !== 'update' || !this.#openKeys.has(key)) return false;
    const told = [membersOf(response, 'updated'), membersOf(response, 'notUpdated')];
    const names = [key, `#${creationId(key)}`];
    return !names.some((name) => told.some((members) => Object.hasOwn(members, name)));
  }

  /**
   * Returns whether a write names objects by creation ids that have ids by now: an earlier request
   * may have made the call, and refused it, before these were made.
   */
  #wasBlind(write: PendingWrite): boolean {
    const { kind, key, sentTo } = write;
    const names = new Set(namesIn(write));
    if (kind === 'create') names.delete(key);
    else if (sentTo === undefined) names.add(key);
    return [...names].some((name) => isLocalKey(name) && this.#idOf(name) !== null);
  }

  /** A destroy of what is gone has done what it should, unless the create is yet to be made. */
  #isGone({ kind, key }: PendingWrite, error: JsonObject): boolean {
    return kind === 'destroy' && error['type'] === 'notFound' && !this.#repeatedKeys.has(key);
  }

  /** Takes what a create or an update has made of the object, as far as it is known. */
  #takeReported(write: PendingWrite, name: string, response: JsonObject): boolean {
    if (write.kind === 'destroy') return false;
    const reports = membersOf(response, write.kind === 'create' ? 'created' : 'updated');
    if (!Object.hasOwn(reports, name)) return false;
    const told = reports[name];
    const reported: JsonObject = isJsonObject(told) ? told : {};
    const { type, key } = write;
    this.#reported.set(`${type} ${key}`, reported);
    const known = replaceNames(write, (text) => this.#idOf(text) ?? text);
    if (known.kind === 'create') {
      const id = String(reported['id']);
      this.#aliases.set(key, { type, id });
      // An object that is there already is newer than an answer that comes again.
      if (this.#baseOf(type, id) === undefined)
        this.#take(type, id, { ...known.values, ...reported });
      return true;
    }
    // The copy has what was made, or the next changes have it: the answer may be older.
    if ((write.sentIn ?? null) !== this.#replica.cursor(type)) return true;
    const before = this.#objectOf(type, key);
    // Nothing is made of an object that the client doesn't have: it comes by /get if it is wanted.
    if (before !== null && known.kind === 'update') {
      const after = applyPatch(before, known.patch, this.#replica.defaultsOf(type));
      this.#take(type, name, { ...after, ...reported });
    }
    return true;
  }

  #objectOf(type: string, key: Key): JsonObject | null {
    const id = this.#idOf(key) ?? key;
    const noted = this.#objects.get(type)?.get(id);
    if (noted !== undefined) return noted;
    const row = this.#baseOf(type, id);
    if (row === undefined) return null;
    const { $key: _key, $pending: _pending, ...object } = row;
    return object;
  }

  /** An object that has come by its id has no other key until the commit. */
  #baseOf(type: string, id: string): Row | undefined {
    return this.#replica.base(type, this.#replica.keyOf(type, id));
  }

  #idOf(key: Key): string | null {
    return isLocalKey(key) ? (this.#aliases.get(key)?.id ?? this.#replica.idOf(key)) : key;
  }

  #take(type: string, id: string, object: JsonObject | null): void {
    const ofType = this.#objects.get(type) ?? new Map<string, JsonObject | null>();
    const shown = object && this.#replica.withoutSecrets(type, object);
    this.#objects.set(type, ofType.set(id, shown));
  }
}

export const DEPENDENCY_FAILED = makeRefusal(
  'dependencyFailed',
  'An object that it needs is not there.',
);

const REFUSED = {
  create: 'notCreated',
  update: 'notUpdated',
  destroy: 'notDestroyed',
} as const;

const UNANSWERED = makeRefusal('serverFail', 'The server has not answered it.');

function membersOf(response: JsonObject, name: string): JsonObject {
  const members = response[name];
  return isJsonObject(members) ? members : {};
}

function errorOf(error: JsonObject): Refusal {
  return { ...error, type: String(error['type']) };
}
