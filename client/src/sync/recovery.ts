import type { JsonObject } from '../../../src/protocol/json.js';
import type { Log } from '../store/log.js';
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

/**
 * Ends the creates of a lost call that the server has made: an object that was created since and
 * has all that they give. All other writes of the call are sent again.
 */
export function recover(
  lost: Lost,
  replica: Replica,
  pulled: ServerObjects | undefined,
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
    const id = write.kind === 'create' ? findEqual(write, free) : undefined;
    if (id === undefined) return [{ ...write, sentAs: null }];
    free.delete(id);
    aliases.set(write.key, { type, id });
    outcomes.push({ isMade: true, write, id });
    return [];
  });
  return { change: { aliases, log }, outcomes };
}

function findEqual(
  { values }: PendingCreate,
  objects: ReadonlyMap<string, JsonObject>,
): string | undefined {
  const names = Object.keys(values);
  const equal = [...objects].find(([, object]) =>
    names.every((name) => isEqual(values[name], object[name])),
  );
  return equal?.[0];
}
