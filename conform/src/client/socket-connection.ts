import { UnexpectedError } from '../unexpected.js';
import { type ApiAnswer, asResponse, type Connection } from './connection.js';
import { NoAnswerError, StreamError } from './no-answer.js';
import { askPatiently } from './pause.js';
import type { Socket } from './socket.js';

const throwGone = (): Promise<Socket> =>
  Promise.reject(new StreamError('The server closed the WebSocket.'));

/** Sends requests as messages of RFC 8887, and finds each answer by the id of its request. */
export class SocketConnection implements Connection {
  readonly transport = 'websocket';
  readonly #open: () => Promise<Socket>;
  #socket: Socket;
  #opening: Promise<Socket> | null = null;
  #next = 0;

  /** `open` makes a socket in place of one that the server closed; without it there is no other. */
  constructor(socket: Socket, open: () => Promise<Socket> = throwGone) {
    this.#socket = socket;
    this.#open = open;
  }

  /** Sends a request, again after each pause that the server asks for unless `isOnce`. */
  async send(text: string, isOnce = false): Promise<ApiAnswer> {
    const ask = (): Promise<ApiAnswer> => this.#ask(text);
    if (isOnce) return await ask();
    return await askPatiently('The WebSocket', this.#socket.wire, ask, (answer) =>
      answer.kind === 'problem'
        ? { status: answer.status, retryAfter: null, json: answer.problem }
        : { status: 200, retryAfter: null, json: null },
    );
  }

  /** Ends the connection of the run. */
  close(): void {
    this.#socket.close();
  }

  /** Sends a request once. Throws NoAnswerError where the socket is closed or silent. */
  async #ask(text: string): Promise<ApiAnswer> {
    const id = `r${this.#next}`;
    this.#next += 1;
    const socket = await this.#findOpen();
    socket.send(addLabel(text, id));
    // A message that can't be read has no id (4.3.4): an answer without one is meant for it, and
    // nothing else is under way then.
    const message = await socket
      .take(
        ({ '@type': type, requestId = null }) =>
          requestId === id || (requestId === null && type === 'RequestError'),
      )
      .catch(throwNoAnswer);
    const { '@type': type, requestId: _, ...rest } = message;
    if (type === 'Response') return { kind: 'response', response: asResponse(rest) };
    if (type === 'RequestError')
      return { kind: 'problem', status: Number(message['status'] ?? 0), problem: rest };
    throw new UnexpectedError(
      `The @type of an answer is Response or RequestError (4.3): ${JSON.stringify(message)}`,
    );
  }

  /** Returns the socket, or a new one where the server ended the connection. */
  async #findOpen(): Promise<Socket> {
    if (this.#socket.isOpen) return this.#socket;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    this.#socket = await this.#opening.catch(throwNoAnswer);
    return this.#socket;
  }
}

/** Throws an error again, as NoAnswerError where the one connection of the run is silent. */
export function throwNoAnswer(error: unknown): never {
  throw error instanceof StreamError ? new NoAnswerError(error.message, { cause: error }) : error;
}

/**
 * Returns the text of a request with the members of a message in front. Text that is no object
 * stays as it is, for checks send such text on purpose.
 */
function addLabel(text: string, id: string): string {
  const start = text.indexOf('{');
  if (start === -1 || !/^[ \t\r\n]*$/.test(text.slice(0, start))) return text;
  const label = `"@type":"Request","id":${JSON.stringify(id)}`;
  const rest = text.slice(start + 1);
  return `{${label}${rest.trimStart().startsWith('}') ? '' : ','}${rest}`;
}
