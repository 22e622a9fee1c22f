import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { ServerObjects } from '../store/replica.js';
import type { Invocation, Response } from '../transport/transport.js';
import { answerOf } from './wire.js';

/** Asks for what has changed of a type since its cursor (RFC 8620 5.2), with the objects. */
export interface Pull {
  readonly type: string;
  readonly since: string;
  readonly accountId: string;
  /** At most so many changes at once: their objects have to fit in a /get. */
  readonly maxChanges: number;
  /** Returns whether the client has an object; null: it wants to have all of them. */
  readonly isKnown: ((id: string) => boolean) | null;
  /** Asks for changes alone: their objects come with the next request. */
  readonly isBrief: boolean;
  /** Objects that are asked for in the place of changes. */
  readonly stale: Stale | null;
}

/** Objects that have changed, and that didn't come with the answer that says so. */
export interface Stale {
  readonly ids: readonly string[];
  /** The state that the type has reached once they are there. */
  readonly cursor: string;
  readonly isWhole: boolean;
  /**
   * Objects that /changes has told, or that have come since: ahead until the state moves. Null:
   * the server tells no changes.
   */
  readonly told: readonly string[] | null;
}

/** How a type goes on after a pull. */
export type PullResult =
  | {
      readonly kind: 'pulled';
      readonly objects: ServerObjects;
      readonly cursor: string;
      readonly isWhole: boolean;
      /** The objects that are still ahead of the state. */
      readonly early: readonly string[];
      /** Has to be asked for before the cursor moves on. */
      readonly stale: Stale | null;
    }
  /** The server doesn't know what has changed since: all objects have to be read again. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: string };

/** Returns the calls of a pull: /changes, and the objects that it names. */
export function pullCalls(pull: Pull): readonly Invocation[] {
  const { type, since, accountId, maxChanges, stale } = pull;
  const changes = `${type}.changes`;
  if (stale !== null) {
    const ids = stale.ids.slice(0, maxChanges);
    return [[`${type}/get`, { accountId, ids }, `${type}.stale`]];
  }
  const get = (path: string): Invocation => {
    const ids = { resultOf: changes, name: `${type}/changes`, path: `/${path}` };
    return [`${type}/get`, { accountId, '#ids': ids }, `${type}.${path}`];
  };
  const call: Invocation = [
    `${type}/changes`,
    { accountId, sinceState: since, maxChanges },
    changes,
  ];
  return hasObjects(pull) ? [call, get('created'), get('updated')] : [call];
}

/** Of a type that it keeps in part, a client asks for the objects that it knows. */
function hasObjects({ isKnown, isBrief }: Pull): boolean {
  return isKnown === null && !isBrief;
}

/**
 * Reads the answers of a pull. `early` are objects that came with a newer state than `since`. The
 * server tells nothing of one that was made and destroyed since (RFC 8620 5.2): it is asked for
 * again.
 */
export function readPull(pull: Pull, early: ReadonlySet<string>, response: Response): PullResult {
  const { type, since, stale } = pull;
  const isKnown = (id: string) => pull.isKnown === null || pull.isKnown(id) || early.has(id);
  if (stale !== null) return readStale(pull, [...early], response);
  const changes = answerOf(response, `${type}.changes`);
  if (changes.isError)
    return changes.type === 'cannotCalculateChanges'
      ? { kind: 'lost' }
      : { kind: 'failed', error: changes.type };
  const { newState, hasMoreChanges } = changes.args;
  const objects = new Map<string, JsonObject | null>();
  for (const id of textsOf(changes.args['destroyed'])) {
    if (isKnown(id)) objects.set(id, null);
  }
  let isWhole = hasMoreChanges !== true;
  for (const part of hasObjects(pull) ? ['created', 'updated'] : []) {
    const got = answerOf(response, `${type}.${part}`);
    if (got.isError) return { kind: 'failed', error: got.type };
    takeObjects(got.args, objects);
    // The objects are newer than the cursor: what is between is told by the next /changes.
    if (got.args['state'] !== newState) isWhole = false;
  }
  if (typeof newState !== 'string') return { kind: 'failed', error: 'serverFail' };
  // A server that stays where it is and has more would be asked for ever.
  if (hasMoreChanges === true && newState === since) return { kind: 'lost' };
  const parts = ['created', 'updated', 'destroyed'].flatMap((part) => textsOf(changes.args[part]));
  const told = new Set(parts);
  const untold = [...early].filter((id) => !told.has(id));
  // Further changes may tell of them.
  const unsure = hasMoreChanges === true ? [] : untold;
  const changed = [...textsOf(changes.args['created']), ...textsOf(changes.args['updated'])];
  const ids = [...(hasObjects(pull) ? [] : changed.filter(isKnown)), ...unsure];
  const pulled = { kind: 'pulled', objects, early: untold } as const;
  if (ids.length === 0) return { ...pulled, cursor: newState, isWhole, stale: null };
  // The state hasn't moved yet: a client that begins there once more is told nothing of them.
  const next = { ids, cursor: newState, isWhole, told: [...told] };
  return { ...pulled, early: [...early], cursor: since, isWhole: false, stale: next };
}

/** Reads objects that had changed. The state moves once the last of them are there. */
function readStale(pull: Pull, early: readonly string[], response: Response): PullResult {
  const { type, since, maxChanges, stale } = pull;
  const got = answerOf(response, `${type}.stale`);
  if (got.isError) return { kind: 'failed', error: got.type };
  const objects = new Map<string, JsonObject | null>();
  takeObjects(got.args, objects);
  const { ids = [], cursor = since } = stale ?? {};
  // Newer objects than the state: the next /changes tells what is between.
  const isWhole = stale?.isWhole === true && got.args['state'] === cursor;
  // They were there in the state of `cursor`: later changes tell of their ends.
  const told = stale?.told ? [...stale.told, ...ids.slice(0, maxChanges)] : null;
  const left = ids.slice(maxChanges);
  const next = left.length > 0 ? { cursor, isWhole, ids: left, told } : null;
  const pulled = { kind: 'pulled', objects, stale: next } as const;
  if (next !== null) return { ...pulled, early, cursor: since, isWhole: false };
  const known = new Set(told);
  const rest = early.filter((id) => !known.has(id) && objects.get(id) !== null);
  return { ...pulled, early: rest, cursor, isWhole };
}

/** Takes the objects of a /get; those that were not found are gone. */
export function takeObjects(args: JsonObject, objects: Map<string, JsonObject | null>): void {
  for (const object of listOf(args['list'])) {
    if (isJsonObject(object) && typeof object['id'] === 'string') objects.set(object['id'], object);
  }
  for (const id of textsOf(args['notFound'])) objects.set(id, null);
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
