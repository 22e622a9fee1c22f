import type { Client } from './client.js';
import type { JsonMap } from './json.js';
import { within } from './poll.js';

/** One server-sent event with JSON data. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: JsonMap;
}

/** An event source that is open; reads the stream until it is closed. */
export class EventStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: ServerEvent[] = [];
  readonly #abort: AbortController;
  readonly #ended: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #isOpen = true;

  constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.#ended = this.#read(response).finally(() => {
      this.#isOpen = false;
      for (const look of this.#waiting) look();
    });
  }

  /** Opens it with these query parameters. */
  static async open(
    client: Client,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventStream> {
    const abort = new AbortController();
    const url = `${client.url}/jmap/eventsource?${new URLSearchParams(query)}`;
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${client.token}`, ...headers },
      signal: abort.signal,
    });
    return new EventStream(response, abort);
  }

  /**
   * The first event, of those that came or come, that matches; failing that an error after
   * `timeout`.
   */
  find(matches: (event: ServerEvent) => boolean, timeout = 60_000): Promise<ServerEvent> {
    const found = new Promise<ServerEvent>((resolve, reject) => {
      const look = (): void => {
        const event = this.events.find(matches);
        if (event === undefined && this.#isOpen) return;
        this.#waiting.delete(look);
        if (event !== undefined) resolve(event);
        else reject(new Error(`The stream ended: ${JSON.stringify(this.events)}`));
      };
      this.#waiting.add(look);
      look();
    });
    return within('The event', found, timeout);
  }

  /** The first state event that tells this state of a type of an account. */
  state(accountId: string, type: string, state: string): Promise<ServerEvent> {
    return this.find(({ event, data }) => {
      const changed = data['changed'] as Record<string, Record<string, string>> | undefined;
      return event === 'state' && changed?.[accountId]?.[type] === state;
    });
  }

  /** Resolves when the server has ended the response. */
  ended(timeout = 60_000): Promise<void> {
    return within('The end of the stream', this.#ended, timeout);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const blocks = text.split(/\r?\n\r?\n/);
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
        for (const look of this.#waiting) look();
      }
    } catch {
      // A stream that breaks off, by our abort or the server's end, has ended as well.
      this.#abort.abort();
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split(/\r?\n/)) {
      const match = /^(\w+):? ?(.*)$/.exec(line);
      const [, name, value] = match ?? [];
      if (name === undefined || value === undefined) continue;
      fields.set(
        name,
        fields.has(name) && name === 'data' ? `${fields.get(name)}\n${value}` : value,
      );
    }
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({
      event: fields.get('event') ?? 'message',
      id: fields.get('id') ?? null,
      data: JSON.parse(data) as JsonMap,
    });
  }
}
