import { expect } from 'vitest';
import { type Harness, http } from './harness.js';

export const PATH = '/jmap/eventsource?types=*&closeafter=no&ping=0';

export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** An open event source: its events as they come. */
export class Stream {
  readonly events: StreamEvent[] = [];
  ended = false;
  /** As RFC 8620's clients keep it: the id of the last block that had one. */
  lastEventId = '';
  /** The last `retry`, ms. */
  retry = 0;
  comments = 0;
  readonly response: Response;
  readonly #abort: AbortController;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    void this.#read();
  }

  static async open(harness: Harness, path = PATH, headers = {}): Promise<Stream> {
    const abort = new AbortController();
    const response = await http(harness, path, { headers, signal: abort.signal });
    expect(response.status).toBe(200);
    return new Stream(response, abort);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        text += Buffer.from(chunk).toString('utf8');
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch (error) {
      expect(error).toMatchObject({ name: 'AbortError' });
    }
    this.ended = true;
  }

  #take(block: string): void {
    const lines = block.split('\n').map((line) => line.split(/: ?(.*)/, 2));
    const { event = '', id, data, retry } = Object.fromEntries(lines) as Record<string, string>;
    if (block.startsWith(':')) this.comments += 1;
    if (id !== undefined) this.lastEventId = id;
    if (retry !== undefined) this.retry = Number(retry);
    if (data === undefined) return;
    const parsed = JSON.parse(data) as unknown;
    this.events.push({ event, ...(id === undefined ? {} : { id }), data: parsed });
  }
}

/** Returns the data of a state event. */
export function change(changed: Record<string, Record<string, string>>): unknown {
  return { '@type': 'StateChange', changed };
}
