import { RequestError } from '../protocol/errors.js';
import { parseIJsonInSlices } from '../protocol/ijson.js';
import { isJsonObject, type JsonObject, memberOf } from '../protocol/json.js';
import type { Slices } from '../runtime/slices.js';

/** A message from a client, as far as this server has a use for it (RFC 8887 4.3). */
export interface RequestMessage {
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

/** Push isn't offered (supportsPush: false), so a client that asks for it is told so. */
const PUSH_MESSAGES: ReadonlySet<unknown> = new Set([
  'WebSocketPushEnable',
  'WebSocketPushDisable',
]);

/** Reads a text message. Rejects with MessageError (notJSON, notRequest) or as `slices` does. */
export async function readMessage(octets: Uint8Array, slices: Slices): Promise<RequestMessage> {
  try {
    return judge(await parseIJsonInSlices(octets, slices));
  } catch (error) {
    throw error instanceof RequestError ? new MessageError(error, null) : error;
  }
}

function judge(message: unknown): RequestMessage {
  if (!isJsonObject(message)) {
    throw new MessageError(notRequest('A message must be a JSON object.'), null);
  }
  const id = memberOf(message, 'id') ?? null;
  if (id !== null && typeof id !== 'string') {
    throw new MessageError(notRequest('"id" must be a string.'), null);
  }
  const type = memberOf(message, '@type');
  if (type === 'Request') return { request: message, id };
  const detail = PUSH_MESSAGES.has(type)
    ? 'This server does not push over WebSockets (supportsPush is false).'
    : '"@type" must be "Request".';
  throw new MessageError(notRequest(detail), id);
}

/** Returns the id of a message that is refused unread, where it can be found. */
export async function idOf(octets: Uint8Array, slices: Slices): Promise<string | null> {
  try {
    return (await readMessage(octets, slices)).id;
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

function notRequest(detail: string): RequestError {
  return new RequestError('notRequest', detail);
}
