import type { IncomingMessage } from 'node:http';
import type { Recorder } from './exchange.js';
import { asMap, type JsonMap, parseJson } from './json.js';
import { describeSilence, StreamError } from './no-answer.js';
import { openRequest } from './open-request.js';
import { askPatiently, type Paused } from './pause.js';
import type { Watching } from './watching.js';

/** ms at the least for what comes with an event. */
const SOON = 3000;
/** So many times as long may an event take that is due. */
const LATE = 20;
/** Characters of a stream at the most: no check waits for so many. */
const MOST = 2 ** 26;

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
  readonly #patience: number;
  readonly #waiting = new Set<() => void>();
  /** Each id that was set, with the number of the event that it belongs to: -1 before all. */
  readonly #ids: { readonly id: string; readonly at: number }[] = [];
  /** Lines that are none of a text/event-stream. */
  readonly wrong: string[] = [];
  #text = '';
  #length = 0;
  #taken = 0;
  #isOpen = true;

  private constructor(
    response: IncomingMessage,
    url: string,
    { recorder, wire }: Pick<Watching, 'recorder' | 'wire'>,
  ) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.contentType = response.headers['content-type'] ?? '';
    this.#response = response;
    this.#recorder = recorder;
    this.#url = url;
    this.#patience = wire.patience;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    // One that breaks off has ended, too.
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#isOpen = false;
      for (const look of this.#waiting) look();
    });
  }

  /**
   * Opens an event source, whatever the answer. Throws StreamError where no header comes in time:
   * some servers send none before the first event, and answer everything else.
   */
  static async open(
    url: string,
    authorization: string,
    watching: Pick<Watching, 'recorder' | 'wire'>,
    lastEventId?: string,
  ): Promise<EventStream> {
    const line = `GET ${url}`;
    const headers = {
      ...{ authorization, accept: 'text/event-stream' },
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const outgoing = { method: 'GET', headers, isRepeatable: true };
    const read = async (response: IncomingMessage): Promise<EventStream> =>
      new EventStream(response, url, watching);
    const open = (): Promise<EventStream> =>
      openRequest(url, outgoing, watching.wire, read).catch((error: NodeJS.ErrnoException) => {
        throw new StreamError(`${line}: ${describeSilence(error)}.`, { cause: error });
      });
    const stream = await askPatiently(line, watching.wire, open, (one) => one.#readPause());
    const { status, contentType } = stream;
    watching.recorder.add({
      request: { line, headers, body: '' },
      answer: { status, headers: { 'content-type': contentType }, body: '' },
    });
    return stream;
  }

  /** Tells whether the server has not ended the stream. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Waits for the next `state` event that wasn't taken yet. Throws StreamError where the stream
   * ends or nothing comes.
   */
  takeState(): Promise<ServerEvent> {
    return this.takeNext('state');
  }

  /** Waits for the next event of a name, behind the one that was taken last. */
  async takeNext(name: string, patience = this.#patience): Promise<ServerEvent> {
    const nextAt = (): number =>
      this.events.findIndex(({ event }, n) => n >= this.#taken && event === name);
    await this.#wait(() => nextAt() !== -1, `A ${name} event`, patience);
    const at = nextAt();
    this.#taken = at + 1;
    const event = this.events[at];
    if (event === undefined)
      throw new StreamError(
        `The stream ended without a ${name} event: ${JSON.stringify(this.events)}`,
      );
    return event;
  }

  /** Waits for the next event of a name that is due after so many seconds. */
  takeAfter(seconds: number, name: string): Promise<ServerEvent> {
    return this.takeNext(name, seconds * 1000 + this.#patience);
  }

  /** Returns the ms for what comes with an event, or soon behind it. */
  get soon(): number {
    return Math.max(SOON, this.#patience / LATE);
  }

  /**
   * Waits for the id of the event that was taken last, which sets it or is followed by it (RFC 8620
   * 7.3).
   */
  async takeId(): Promise<string> {
    const find = () => this.#ids.findLast(({ at }) => at === this.#taken - 1);
    await this.#wait(() => find() !== undefined, 'An event id', this.soon);
    const found = find();
    if (found === undefined) throw new StreamError('The stream ended without an event id.');
    return found.id;
  }

  /** Resolves when the server has ended the response. */
  awaitEnd(): Promise<void> {
    return this.#wait(() => !this.#isOpen, 'The end of the stream');
  }

  readonly close = (): void => {
    this.#response.destroy();
  };

  /** Returns what of a refusal can ask for a pause: its body, which comes as if it were events. */
  async #readPause(): Promise<Paused> {
    const retryAfter = this.headers['retry-after'] ?? null;
    const isRefusal = this.status === 429 || this.status === 503;
    if (isRefusal) await this.awaitEnd();
    return { status: this.status, retryAfter, json: isRefusal ? parseJson(this.#text) : null };
  }

  #wait(is: () => boolean, what: string, patience = this.#patience): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!is() && this.#isOpen) return;
        this.#waiting.delete(look);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new StreamError(`${what} didn't come within ${patience} ms.`));
      }, patience);
      this.#waiting.add(look);
      look();
    });
  }

  #read(text: string): void {
    this.#length += text.length;
    if (this.#length > MOST) this.close();
    const blocks = (this.#text + text).split(/\r\n\r\n|\n\n|\r\r/);
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#readBlock(block);
    for (const look of this.#waiting) look();
  }

  #readBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split(/\r\n|\n|\r/)) {
      if (isWrong(line)) this.wrong.push(line);
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      const known = name === 'data' ? fields.get(name) : undefined;
      fields.set(name, known === undefined ? value : `${known}\n${value}`);
    }
    const data = fields.get('data');
    const id = fields.get('id');
    const last = this.events.length - 1;
    if (id !== undefined) this.#ids.push({ id, at: data === undefined ? last : last + 1 });
    if (data === undefined) return;
    this.#recorder.add({
      request: { line: `GET ${this.#url}`, headers: {}, body: '' },
      answer: { status: this.status, headers: {}, body: block },
    });
    this.events.push({
      event: fields.get('event') ?? 'message',
      id: id ?? null,
      data: asMap(parseJson(data)),
    });
  }
}

/** Tells whether a line has octets that are no UTF-8, or an illegal value. */
function isWrong(line: string): boolean {
  if (line.includes('\ufffd')) return true;
  return /^retry: ?/.test(line) ? !/^retry: ?\d+$/.test(line) : /^id:.*\0/.test(line);
}
