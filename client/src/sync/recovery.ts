import type { JsonObject } from '../../../src/protocol/json.js';
import { hasEffect, isChecked } from '../store/checks.js';
import { type Log, replaceNames } from '../store/log.js';
import type { Alias, Change, Replica, ServerObjects } from '../store/replica.js';
import { isEqual } from '../store/values.js';
import type { Key, PendingCreate, PendingWrite } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { Outcome } from './outcomes.js';
import { textsOf } from './pull.js';

import { answerOf } from './wire.js';

/**
 * Servers without keys for calls can't tell a call that comes again. A call that creates then names
 * the state in which it was sent, so it is made in that state or never. Where its answer is lost,
 * the client looks for what has been created since that state.
 */

/** A call whose answer was lost. */
export interface Lost {
  readonly type: string;
  /** The state in which it was sent. */
  readonly since: string;
}

export interface Recovery {
  readonly change: Pick<Change, 'aliases' | 'log'>;
  readonly outcomes: readonly Outcome[];
  /** The outcome of each write of the call is known. */
  readonly isDone: boolean;
}

/** Returns the call of a log that was sent and has no answer; null where there is none. */
export function findLost(log: Log): Lost | null {
  const sent = log.find(({ sentAs }) => sentAs !== null);
  return sent === undefined ? null : { type: sent.type, since: sent.sentIn ?? '' };
}

/** Returns the call that asks for what was created since. */
export function recoveryCall({ type, since }: Lost, accountId: string): Invocation {
  return [`${type}/changes`, { accountId, sinceState: since }, `${type}.since`];
}

/** Returns the ids of what was created since a call was sent whose answer was lost. */
export function createdSince({ type }: Lost, response: Response): readonly string[] {
  const changes = answerOf(response, `${type}.since`);
  return changes.isError ? [] : textsOf(changes.args['created']);
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
  response: Response,
): Recovery {
  const { type } = lost;
  const free = new Map<string, JsonObject>();
  for (const id of createdSince(lost, response)) {
    const object = pulled?.get(id) ?? replica.base(type, id);
    if (object !== undefined && replica.keyOf(type, id) === id) free.set(id, object);
  }
  const aliases = new Map<Key, Alias>();
  const outcomes: Outcome[] = [];
  const log = replica.log.flatMap((write): readonly PendingWrite[] => {
    if (write.sentAs === null) return [write];
    const nameOf = (text: string): string => aliases.get(text)?.id ?? replica.idOf(text) ?? text;
    const id =
      write.kind === 'create'
        ? findEqual(write, free, nameOf)
        : findUpdated(write, replica, pulled);
    if (id === undefined) return [isWhole ? { ...write, sentAs: null } : write];
    free.delete(id);
    if (write.kind === 'create') aliases.set(write.key, { type, id });
    outcomes.push({ isMade: true, write, id });
    return [];
  });
  return { change: { aliases, log }, outcomes, isDone: isWhole };
}

/**
 * Returns the id of an object where it has the effect of an update that asks for an unchanged one.
 * Sent again, the update would take its own effect for a conflict.
 */
function findUpdated(
  write: PendingWrite,
  replica: Replica,
  pulled: ServerObjects | undefined,
): string | undefined {
  const { type, key } = write;
  const id = replica.idOf(key) ?? key;
  const object = pulled?.get(id) ?? replica.base(type, key);
  if (!isChecked(write) || object === undefined) return undefined;
  return hasEffect(write, object, replica.defaultsOf(type)) ? id : undefined;
}

/** A create may name others of its call, and itself. */
function findEqual(
  write: PendingCreate,
  objects: ReadonlyMap<string, JsonObject>,
  nameOf: (text: string) => string,
): string | undefined {
  const equal = [...objects].find(([id, object]) => {
    const { values } = replaceNames(write, (text) => (text === write.key ? id : nameOf(text)));
    return Object.keys(values).every((name) => isEqual(values[name], object[name]));
  });
  return equal?.[0];
}
