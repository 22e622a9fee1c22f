import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';

/*
 * The one place that says what is used of Node beyond what its documentation promises, and whether it may be. All of it
 * saves time on small requests; without it the same answers go Node's public way (`takeBody` is not asked,
 * `sendWhole` says no, heads go by `writeHead`, Node has its own keep-alive timer).
 *
 * Of requests (edge-request.ts):
 * - the parser puts a body in by `push`, octets then null, so that an override sees it first;
 * - `_consuming` says that somebody has read: Node doesn't throw the rest of the body away behind the answer;
 * - `_destroy` asks `readableEnded` whether the request was cut off.
 * Of responses (edge-response.ts, send-whole.ts):
 * - `assignSocket` sets the socket's `_httpMessage`;
 * - `_storeHeader(firstLine, headers)` composes a head beginning with its first argument;
 * - `_header`, `_headerSent` and `finished` say that a head, and the whole, has been sent;
 * - `_keepAliveTimeout` is what the `Keep-Alive` header tells;
 * - the server's own listener of `finish` brings in the next response, and makes `close` come.
 *
 * Besides, on every version: `httpAllowHalfOpen` of a server (server.ts). If a Node lacked it,
 * clients that end their side would get no answer.
 */

/**
 * Majors of Node that test/transports passes on, with its internals and without. What a check of forms can't see is what
 * Node does with them: on any other major none is used.
 */
export const TRIED: ReadonlySet<number> = new Set([20, 22, 24, 26]);

/** Whether internals may be used on this Node: it is one of those tried, and they have the form they had. */
export function fitsInternals(
  version: string = process.versions.node,
  forms: () => boolean = haveExpectedForms,
): boolean {
  if (!TRIED.has(Number.parseInt(version, 10))) return false;
  try {
    return forms();
  } catch {
    // Whatever has changed so much that it throws has another form.
    return false;
  }
}

/** What tells whether a stream has ended; null where that isn't a getter of all streams. */
export const readableEnded: ((this: Readable) => unknown) | null =
  Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')?.get ?? null;

type Fields = Record<string, unknown>;

function haveExpectedForms(): boolean {
  const socket = new Socket();
  const req = new IncomingMessage(socket);
  const res = new ServerResponse(req);
  return readableEnded !== null && isRequest(req) && isResponse(res, socket);
}

function isRequest(req: IncomingMessage): boolean {
  return (
    (req as unknown as Fields)['_consuming'] === false &&
    req.push === Readable.prototype.push &&
    req.readableEnded === false
  );
}

function isResponse(res: ServerResponse, socket: Socket): boolean {
  const fields = res as unknown as Fields;
  const { _storeHeader: storeHeader } = fields;
  if (typeof storeHeader !== 'function' || storeHeader.length !== 2) return false;
  if (fields['_header'] !== null || fields['_headerSent'] !== false) return false;
  if (fields['finished'] !== false || !('_keepAliveTimeout' in res)) return false;
  if (res.socket !== null) return false;
  res.assignSocket(socket);
  const { _httpMessage: assigned } = socket as unknown as Fields;
  const isAssigned = assigned === res && res.socket === socket;
  res.detachSocket(socket);
  const { _httpMessage: left } = socket as unknown as Fields;
  fields['_header'] = 'HTTP/1.1 200 OK\r\n\r\n';
  fields['finished'] = true;
  return isAssigned && left === null && res.headersSent && res.writableEnded;
}

/** Whether internals are used where nobody says otherwise: looked at once. */
export const USES_INTERNALS: boolean = fitsInternals();
