import { RequestError } from '../protocol/errors.js';
import { parseIJsonInSlices } from '../protocol/ijson.js';
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from '../protocol/json.js';
import type { Slices } from '../runtime/slices.js';

/** A message from a client, as far as this server has a use for it (RFC 8887 4.3). */
export type ClientMessage = RequestMessage | PushEnableMessage | PushDisableMessage;

/** RFC 8887 4.3.2: method calls. */
export interface RequestMessage {
  readonly kind: 'request';
  /** The Request object; RFC 8620's members are still to be checked. */
  readonly request: JsonObject;
  /** Null where the client gave none: such requests are answered in order. */
  readonly id: string | null;
}

/** The fault of a message, and the id to answer with where it could be read. */
export class MessageError extends Error {
  override readonly name = 'MessageError';
  readonly problem: RequestError;
  readonly requestId: string | null;

  constructor(problem: RequestError, requestId: string | null) {
    super(problem.message);
    this.problem = problem;
    this.requestId = requestId;
  }
}

/** RFC 8887 4.3.5.2: the client wants to be told of state changes, from now on. */
export interface PushEnableMessage {
  readonly kind: 'pushEnable';
  /** Where the client gave one: a RequestError has it. */
  readonly id: string | null;
  /** Names of data types; null is all. */
  readonly types: readonly string[] | null;
  /** The id of what the client was told before; null: it wants nothing of the past. */
  readonly pushState: string | null;
}

/** RFC 8887 4.3.5.3: the client wants no more of them. */
export interface PushDisableMessage {
  readonly kind: 'pushDisable';
}

/** Reads a text message. Rejects with MessageError (notJSON, notRequest) or as `slices` does. */
export async function readMessage(octets: Uint8Array, slices: Slices): Promise<ClientMessage> {
  try {
    return judge(await parseIJsonInSlices(octets, slices));
  } catch (error) {
    throw error instanceof RequestError ? new MessageError(error, null) : error;
  }
}

function judge(message: unknown): ClientMessage {
  if (!isJsonObject(message)) {
    throw new MessageError(notRequest('A message must be a JSON object.'), null);
  }
  const id = memberOf(message, 'id') ?? null;
  if (id !== null && typeof id !== 'string') {
    throw new MessageError(notRequest('"id" must be a string.'), null);
  }
  switch (memberOf(message, '@type')) {
    case 'Request':
      return { kind: 'request', request: message, id };
    case 'WebSocketPushEnable':
      return judgePushEnable(message, id);
    case 'WebSocketPushDisable':
      return { kind: 'pushDisable' };
    default:
      throw new MessageError(notRequest(`"@type" must be ${TYPES}.`), id);
  }
}

const TYPES = '"Request", "WebSocketPushEnable" or "WebSocketPushDisable"';

function judgePushEnable(message: JsonObject, id: string | null): PushEnableMessage {
  const types = memberOf(message, 'dataTypes') ?? null;
  if (types !== null && !isStrings(types)) {
    throw new MessageError(notRequest('"dataTypes" must be null or a list of strings.'), id);
  }
  const pushState = memberOf(message, 'pushState') ?? null;
  if (pushState !== null && typeof pushState !== 'string') {
    throw new MessageError(notRequest('"pushState" must be null or a string.'), id);
  }
  return { kind: 'pushEnable', id, types, pushState };
}

function isStrings(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns the id of a message that is refused unread, where it can be found. */
export async function idOf(octets: Uint8Array, slices: Slices): Promise<string | null> {
  try {
    const message = await readMessage(octets, slices);
    return message.kind === 'pushDisable' ? null : message.id;
  } catch (error) {
    if (error instanceof MessageError) return error.requestId;
    throw error;
  }
}

/**
 * Returns a RequestError (RFC 8887 4.3.4): `requestId` is always there, null where there is none.
 */
export function requestErrorText(problem: JsonObject, requestId: string | null): string {
  return JSON.stringify({ '@type': 'RequestError', requestId, ...problem });
}

export function notRequest(detail: string): RequestError {
  return new RequestError('notRequest', detail);
}
