import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Recorder } from './exchange.js';
import { NoAnswerError } from './http.js';
import { asMap, type JsonMap, parsed } from './json.js';
import { trustOf, type Watching } from './watching.js';

/** ms that a server may take for its answer, and for an event that is due. */
const PATIENCE = 30_000;
/** ms for what comes with an event. */
const SOON = 3000;

/** An event source is silent: the server may answer everything else. */
export class NoEventError extends Error {
  override readonly name = 'NoEventError';
}

/** One server-sent event whose data is JSON. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: JsonMap;
}

/** The answer of an event source (RFC 8620 7.3), read as long as it is open. */
export class EventStream {
  readonly status: number;
  readonly contentType: string;
  readonly headers: IncomingMessage['headers'];
  /** All that came, of any name. */
  readonly events: ServerEvent[] = [];
  readonly #response: IncomingMessage;
  readonly #recorder: Recorder;
  readonly #url: string;
  readonly #waiting = new Set<() => void>();
  readonly #ids: string[] = [];
  #idsTaken = 0;
  #text = '';
  #taken = 0;
  #isOpen = true;

  private constructor(response: IncomingMessage, url: string, recorder: Recorder) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.contentType = response.headers['content-type'] ?? '';
    this.#response = response;
    this.#recorder = recorder;
    this.#url = url;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    // One that breaks off has ended, too.
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#isOpen = false;
      for (const look of this.#waiting) look();
    });
  }

  static open(
    url: string,
    authorization: string,
    { recorder, wire }: Omit<Watching, 'fence'>,
  ): Promise<EventStream> {
    const send = new URL(url).protocol === 'https:' ? secureRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const headers = { authorization, accept: 'text/event-stream' };
      const request = send(url, { headers, ...trustOf(wire) }, (response) => {
        clearTimeout(timer);
        const { statusCode: status = 0 } = response;
        recorder.add({
          request: { line: `GET ${url}`, headers, body: '' },
          answer: {
            status,
            headers: { 'content-type': String(response.headers['content-type']) },
            body: '',
          },
        });
        resolve(new EventStream(response, url, recorder));
      });
      const timer = setTimeout(() => request.destroy(new Error('no answer in time')), PATIENCE);
      request.once('error', (error) => {
        clearTimeout(timer);
        reject(new NoAnswerError(`GET ${url}: ${error.message}`, { cause: error }));
      });
      request.end();
    });
  }

  /** Tells whether the server has not ended the stream. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * The next `state` event that wasn't taken yet; a failure where the stream ends or nothing comes.
   */
  state(): Promise<ServerEvent> {
    return this.next('state');
  }

  /** The same of any name, and of whatever comes behind what was taken last. */
  async next(name: string, patience = PATIENCE): Promise<ServerEvent> {
    const nextAt = (): number =>
      this.events.findIndex(({ event }, n) => n >= this.#taken && event === name);
    await this.#until(() => nextAt() !== -1, `A ${name} event`, patience);
    const at = nextAt();
    this.#taken = at + 1;
    const event = this.events[at];
    if (event === undefined)
      throw new NoEventError(
        `The stream ended without a ${name} event: ${JSON.stringify(this.events)}`,
      );
    return event;
  }

  /** The next id that the server set: with an event, or by itself behind one (RFC 8620 7.3). */
  async nextId(): Promise<string> {
    const at = this.#idsTaken;
    await this.#until(() => this.#ids.length > at, 'An event id', SOON);
    const id = this.#ids[at];
    if (id === undefined) throw new NoEventError('The stream ended without an event id.');
    this.#idsTaken += 1;
    return id;
  }

  /** Resolves when the server has ended the response. */
  ended(): Promise<void> {
    return this.#until(() => !this.#isOpen, 'The end of the stream');
  }

  readonly close = (): void => {
    this.#response.destroy();
  };

  #until(is: () => boolean, what: string, patience = PATIENCE): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!is() && this.#isOpen) return;
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new NoEventError(`${what} didn't come within ${patience} ms.`));
      }, patience);
      this.#waiting.add(look);
      look();
    });
  }

  #read(text: string): void {
    const blocks = (this.#text + text).split(/\r\n\r\n|\n\n|\r\r/);
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#take(block);
    for (const look of this.#waiting) look();
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split(/\r\n|\n|\r/)) {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      const known = name === 'data' ? fields.get(name) : undefined;
      fields.set(name, known === undefined ? value : `${known}\n${value}`);
    }
    const data = fields.get('data');
    const id = fields.get('id');
    if (id !== undefined) this.#ids.push(id);
    if (data === undefined) return;
    this.#recorder.add({
      request: { line: `GET ${this.#url}`, headers: {}, body: '' },
      answer: { status: this.status, headers: {}, body: block },
    });
    this.events.push({
      event: fields.get('event') ?? 'message',
      id: id ?? null,
      data: asMap(parsed(data)),
    });
  }
}
