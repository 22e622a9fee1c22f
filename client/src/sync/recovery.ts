import type { JsonObject } from '../../../src/protocol/json.js';
import { type Log, replaceNames } from '../store/log.js';
import type { Change, Replica, ServerObjects } from '../store/replica.js';
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
  { type }: Lost,
  replica: Replica,
  { objects: pulled, isWhole }: Pulled,
  response: Response,
): Recovery {
  const changes = answerOf(response, `${type}.since`);
  const created = changes.isError ? [] : textsOf(changes.args['created']);
  const free = new Map<string, JsonObject>();
  for (const id of created) {
    const object = pulled?.get(id) ?? replica.base(type, id);
    if (object !== undefined && replica.keyOf(id) === id) free.set(id, object);
  }
  const aliases = new Map<Key, string>();
  const outcomes: Outcome[] = [];
  const log = replica.log.flatMap((write): readonly PendingWrite[] => {
    if (write.sentAs === null) return [write];
    const nameOf = (text: string): string => aliases.get(text) ?? replica.idOf(text) ?? text;
    const id = write.kind === 'create' ? findEqual(write, free, nameOf) : undefined;
    if (id === undefined) return [isWhole ? { ...write, sentAs: null } : write];
    free.delete(id);
    aliases.set(write.key, id);
    outcomes.push({ isMade: true, write, id });
    return [];
  });
  return { change: { aliases, log }, outcomes, isDone: isWhole };
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
