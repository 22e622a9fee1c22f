import WebSocket from 'ws';
import { type ApiAnswer, asResponse, type Connection } from './connection.js';
import type { Recorder } from './exchange.js';
import type { Fence } from './fence.js';
import { asMap, type JsonMap, parsed } from './json.js';
import { NoAnswerError, SilentError } from './no-answer.js';
import { trustOf, type Watching } from './watching.js';

/** Describes what of an opening handshake (RFC 6455 4.1) a check wants otherwise. */
export interface Handshake {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly compress?: boolean;
}

/** A WebSocket with what came over it. */
export class Socket {
  readonly raw: WebSocket;
  readonly messages: JsonMap[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #waiting = new Set<() => void>();
  readonly #recorder: Recorder;
  readonly #fence: Fence;
  readonly #patience: number;

  private constructor(raw: WebSocket, { recorder, fence, wire }: Watching) {
    this.raw = raw;
    this.#recorder = recorder;
    this.#fence = fence;
    this.#patience = wire.patience;
    this.closed = new Promise((resolve) => raw.once('close', resolve));
    // ws tells what it can't go on with by `close`, too.
    raw.on('error', () => undefined);
    raw.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      recorder.add({
        request: { line: 'WebSocket', headers: {}, body: '' },
        answer: { headers: {}, body: text },
      });
      const message = asMap(parsed(text));
      fence.heard(message);
      this.messages.push(message);
      for (const look of this.#waiting) look();
    });
    raw.on('close', () => {
      for (const look of this.#waiting) look();
    });
  }

  /**
   * Opens a socket and resolves to it, or to the HTTP status that refused the handshake. Rejects
   * with NoAnswerError where nothing answers in time.
   */
  static open(
    url: string,
    authorization: string,
    watching: Watching,
    { protocols = ['jmap'], headers = {}, compress = false }: Handshake = {},
  ): Promise<Socket | number> {
    const raw = new WebSocket(url, [...protocols], {
      headers: { authorization, ...headers },
      perMessageDeflate: compress,
      ...trustOf(watching.wire),
    });
    const { patience } = watching.wire;
    return new Promise<Socket | number>((resolve, reject) => {
      const failed = ({ message }: Error): void => reject(new NoAnswerError(`${url}: ${message}`));
      const timer = setTimeout(() => {
        failed(new SilentError(patience));
        raw.terminate();
      }, patience);
      const socket = new Socket(raw, watching);
      raw.once('open', () => resolve(socket));
      raw.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
        raw.terminate();
      });
      raw.once('error', failed);
      raw.once('open', () => clearTimeout(timer));
      raw.once('close', () => clearTimeout(timer));
    });
  }

  /** Tells whether neither side has closed the connection. */
  get isOpen(): boolean {
    return this.raw.readyState === WebSocket.OPEN;
  }

  send(message: string | JsonMap): void {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    this.#fence.pass(body);
    this.#recorder.add({ request: { line: 'WebSocket', headers: {}, body }, answer: null });
    this.raw.send(body);
  }

  /**
   * Sends octets as they are, a frame for each part. The message is binary, or text that may be no
   * UTF-8.
   */
  sendOctets(parts: readonly Uint8Array[], binary = false): void {
    this.#fence.pass(Buffer.concat(parts).toString('utf8'));
    const octets = parts.reduce((sum, { length }) => sum + length, 0);
    const body = `(${octets} octets of ${binary ? 'a binary message' : 'text'}, in frames)`;
    this.#recorder.add({ request: { line: 'WebSocket', headers: {}, body }, answer: null });
    for (const [n, part] of parts.entries())
      this.raw.send(part, { binary, fin: n === parts.length - 1 });
  }

  /** Sends a message and returns the next one that comes, whatever it answers. */
  ask(message: string | JsonMap): Promise<JsonMap> {
    this.send(message);
    return this.take();
  }

  /**
   * Waits for the next message. Returns the close code where the server closes the connection in
   * its place.
   */
  async takeOrClosed(): Promise<JsonMap | number> {
    try {
      return await this.take();
    } catch (error) {
      if (this.raw.readyState >= WebSocket.CLOSING) return await this.closed;
      throw error;
    }
  }

  /**
   * Waits for the first message that matches, among those that came before as well, and removes it
   * from them. Rejects with NoAnswerError at the deadline.
   */
  take(matches: (message: JsonMap) => boolean = () => true): Promise<JsonMap> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        end();
        const seconds = this.#patience / 1000;
        reject(new NoAnswerError(`The server hangs: no message came within ${seconds} s.`));
      }, this.#patience);
      const look = (): void => {
        const at = this.messages.findIndex(matches);
        if (at !== -1) {
          end();
          resolve(...(this.messages.splice(at, 1) as [JsonMap]));
        } else if (this.raw.readyState >= WebSocket.CLOSING) {
          end();
          reject(new NoAnswerError('The server closed the WebSocket.'));
        }
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.raw.terminate();
  }
}

const gone = (): Promise<Socket> =>
  Promise.reject(new NoAnswerError('The server closed the WebSocket.'));

/** Sends requests as messages of RFC 8887, and finds each answer by the id of its request. */
export class SocketConnection implements Connection {
  readonly transport = 'websocket';
  readonly #open: () => Promise<Socket>;
  #socket: Socket;
  #opening: Promise<Socket> | null = null;
  #next = 0;

  /**
   * `open` is for a socket in place of one that the server closed; without it there is no other.
   */
  constructor(socket: Socket, open: () => Promise<Socket> = gone) {
    this.#socket = socket;
    this.#open = open;
  }

  async send(text: string): Promise<ApiAnswer> {
    const id = `r${this.#next}`;
    this.#next += 1;
    const socket = await this.#usable();
    socket.send(labelled(text, id));
    // A message that can't be read has no id (4.3.4): an answer without one is meant for it, and
    // nothing else is under way then.
    const message = await socket.take(
      ({ '@type': type, requestId = null }) =>
        requestId === id || (requestId === null && type === 'RequestError'),
    );
    const { '@type': type, requestId: _, ...rest } = message;
    if (type === 'Response') return { kind: 'response', response: asResponse(rest) };
    return { kind: 'problem', status: Number(message['status'] ?? 0), problem: rest };
  }

  close(): void {
    this.#socket.close();
  }

  /** Where the server ended the connection over one request, the next one has another. */
  async #usable(): Promise<Socket> {
    if (this.#socket.isOpen) return this.#socket;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    this.#socket = await this.#opening;
    return this.#socket;
  }
}

/**
 * Returns the text of a request with the members of a message in front. Text that is no object
 * stays as it is, for checks send such text on purpose.
 */
function labelled(text: string, id: string): string {
  const start = text.indexOf('{');
  if (start === -1 || !/^[ \t\r\n]*$/.test(text.slice(0, start))) return text;
  const label = `"@type":"Request","id":${JSON.stringify(id)}`;
  const rest = text.slice(start + 1);
  return `{${label}${rest.trimStart().startsWith('}') ? '' : ','}${rest}`;
}
