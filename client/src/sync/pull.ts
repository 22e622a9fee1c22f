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
}

/** How a type goes on after a pull. */
export type PullResult =
  | {
      readonly kind: 'pulled';
      readonly objects: ServerObjects;
      readonly cursor: string;
      readonly isWhole: boolean;
    }
  /** The server doesn't know what has changed since: all objects have to be read again. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: string };

/** Returns the calls of a pull: /changes, and the objects that it names. */
export function pullCalls({ type, since, accountId, maxChanges }: Pull): readonly Invocation[] {
  const changes = `${type}.changes`;
  const get = (path: string): Invocation => {
    const ids = { resultOf: changes, name: `${type}/changes`, path: `/${path}` };
    return [`${type}/get`, { accountId, '#ids': ids }, `${type}.${path}`];
  };
  return [
    [`${type}/changes`, { accountId, sinceState: since, maxChanges }, changes],
    get('created'),
    get('updated'),
  ];
}

/** Reads the answers of a pull. */
export function readPull({ type, since }: Pull, response: Response): PullResult {
  const changes = answerOf(response, `${type}.changes`);
  if (changes.isError)
    return changes.type === 'cannotCalculateChanges'
      ? { kind: 'lost' }
      : { kind: 'failed', error: changes.type };
  const { newState, hasMoreChanges } = changes.args;
  const objects = new Map<string, JsonObject | null>();
  for (const id of textsOf(changes.args['destroyed'])) objects.set(id, null);
  let isWhole = hasMoreChanges !== true;
  for (const part of ['created', 'updated']) {
    const got = answerOf(response, `${type}.${part}`);
    if (got.isError) return { kind: 'failed', error: got.type };
    takeObjects(got.args, objects);
    // The objects are newer than the cursor: what is between is told by the next /changes.
    if (got.args['state'] !== newState) isWhole = false;
  }
  if (typeof newState !== 'string') return { kind: 'failed', error: 'serverFail' };
  // A server that stays where it is and has more would be asked for ever.
  if (hasMoreChanges === true && newState === since) return { kind: 'lost' };
  return { kind: 'pulled', objects, cursor: newState, isWhole };
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
