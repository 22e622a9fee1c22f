import WebSocket from 'ws';
import type { Exchange, Recorder } from './exchange.js';
import type { Fence } from './fence.js';
import { type HttpAnswer, readAnswer, readPause } from './http.js';
import { asMap, type JsonMap, parseJson } from './json.js';
import { describeSilence, SilentError, StreamError } from './no-answer.js';
import { askPatiently } from './pause.js';
import { readTrust, type Watching, type Wire } from './watching.js';

/** Describes what of an opening handshake (RFC 6455 4.1) a check wants otherwise. */
export interface Handshake {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly compress?: boolean;
}

/** A WebSocket with what came over it. */
export class Socket {
  readonly raw: WebSocket;
  readonly wire: Wire;
  readonly messages: JsonMap[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #waiting = new Set<() => void>();
  readonly #recorder: Recorder;
  readonly #fence: Fence;
  /** By the ids of requests that were not answered: what takes note of the answer. */
  readonly #unanswered = new Map<unknown, (answer: Exchange['answer']) => void>();

  private constructor(raw: WebSocket, { recorder, fence, wire }: Watching) {
    this.raw = raw;
    this.wire = wire;
    this.#recorder = recorder;
    this.#fence = fence;
    this.closed = new Promise((resolve) => raw.once('close', resolve));
    // ws tells what it can't go on with by `close`, too.
    raw.on('error', () => undefined);
    raw.on('message', (data: Buffer) => this.#hear(data.toString('utf8')));
    raw.on('close', () => this.#look());
  }

  /**
   * Opens a socket and resolves to it, or to the HTTP status that refused the handshake. Waits
   * where the server asks for a pause. Rejects with StreamError where nothing answers in time, or
   * where the answer is no handshake.
   */
  static async open(
    url: string,
    authorization: string,
    watching: Watching,
    { headers: others = {}, ...handshake }: Handshake = {},
  ): Promise<Socket | number> {
    const line = `GET ${url}`;
    const headers = { authorization, ...others };
    const shake = (): Promise<Socket | HttpAnswer> =>
      Socket.#shake(url, watching, { ...handshake, headers }).catch((error: Error) => {
        throw new StreamError(`${line}: ${describeSilence(error)}`, { cause: error });
      });
    const answer = await askPatiently(line, watching.wire, shake, (one) =>
      one instanceof Socket ? { status: 101, retryAfter: null, json: null } : readPause(one),
    );
    if (answer instanceof Socket) return answer;
    const { status, text } = answer;
    watching.recorder.add({
      request: { line, headers, body: '' },
      answer: { status, headers: Object.fromEntries(answer.headers), body: text },
    });
    return status;
  }

  /** Sends one opening handshake. Resolves to the socket, or to the answer that refuses it. */
  static #shake(
    url: string,
    watching: Watching,
    { protocols = ['jmap'], headers = {}, compress = false }: Handshake,
  ): Promise<Socket | HttpAnswer> {
    const { wire } = watching;
    return new Promise<Socket | HttpAnswer>((resolve, reject) => {
      const raw = new WebSocket(url, [...protocols], {
        headers: { ...headers },
        perMessageDeflate: compress,
        ...readTrust(wire),
      });
      const timer = setTimeout(() => {
        reject(new SilentError(wire.patience));
        raw.terminate();
      }, wire.patience);
      const socket = new Socket(raw, watching);
      raw.once('unexpected-response', (_request, response) => {
        readAnswer(response, wire)
          .then(resolve, reject)
          .finally(() => raw.terminate());
      });
      raw.once('error', reject);
      raw.once('open', () => {
        clearTimeout(timer);
        resolve(socket);
      });
      raw.once('close', () => clearTimeout(timer));
    });
  }

  /** Tells whether neither side has closed the connection. */
  get isOpen(): boolean {
    return this.raw.readyState === WebSocket.OPEN;
  }

  /** Sends a text message, which the fence must let pass. */
  send(message: string | JsonMap): void {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    this.#fence.pass(body);
    const request = { line: 'WebSocket', headers: {}, body };
    const answered = this.#recorder.add({ request, answer: null });
    const { id } = asMap(parseJson(body));
    if (id !== undefined) this.#unanswered.set(id, answered);
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
   * from them. Rejects with StreamError at the deadline.
   */
  take(
    matches: (message: JsonMap) => boolean = () => true,
    patience = this.wire.patience,
  ): Promise<JsonMap> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        end();
        reject(new StreamError(`The server hangs: no message came within ${patience / 1000} s.`));
      }, patience);
      const look = (): void => {
        const at = this.messages.findIndex(matches);
        if (at !== -1) {
          end();
          resolve(...(this.messages.splice(at, 1) as [JsonMap]));
        } else if (this.raw.readyState >= WebSocket.CLOSING) {
          end();
          reject(new StreamError('The server closed the WebSocket.'));
        }
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Ends the connection at once. */
  close(): void {
    this.raw.terminate();
  }

  /** Keeps a message that came, and takes note of it as the answer to its request. */
  #hear(text: string): void {
    const message = asMap(parseJson(text));
    const { requestId } = message;
    const answer = { headers: {}, body: text };
    const answered = this.#unanswered.get(requestId);
    this.#unanswered.delete(requestId);
    if (answered !== undefined) answered(answer);
    else this.#recorder.add({ request: { line: 'WebSocket', headers: {}, body: '' }, answer });
    this.#fence.hear(message);
    this.messages.push(message);
    this.#look();
  }

  /** Lets all who wait for a message look what came. */
  #look(): void {
    for (const look of this.#waiting) look();
  }
}
