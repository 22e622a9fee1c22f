import type { News } from '../push/audience.js';
import type { Channel, ChannelListener } from '../push/channel.js';
import { type EdgeResponse, edgeHeaders, principalOf } from './edge-response.js';

/** How long a client waits before it connects again (`retry`), ms: random, so that they spread. */
const RETRY = { from: 1000, to: 5000 };
/** The same where the server stops: all clients connect again at once otherwise. */
const RETRY_AT_STOP = { from: 1000, to: 10_000 };
/** After so many ms of silence a comment tells proxies that the stream lives. */
const SILENCE = 30_000;

export const EVENT_HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'text/event-stream'],
  // A proxy that compresses would gather events first.
  ...['Cache-Control', 'no-store, no-transform'],
  // A buffering proxy would hold events back.
  ...['X-Accel-Buffering', 'no'],
]);

export interface StreamParameters {
  readonly types: ReadonlySet<string> | null;
  readonly closeAfterState: boolean;
  /** Seconds, 0 for none. */
  readonly ping: number;
  /** The last event that the client saw; null: it wants nothing of the past. */
  readonly lastEventId: string | null;
}

/** The part that all streams share. */
interface Sources {
  eventOf(news: News): Buffer;
  closed(stream: EventStream, userId: string): void;
}

/**
 * One open event source: the text/event-stream format, pings, and a reader that may be slow. There
 * are many: each has as few functions and timers of its own as will do.
 */
export class EventStream implements ChannelListener {
  readonly #sources: Sources;
  readonly #res: EdgeResponse;
  readonly #parameters: StreamParameters;
  #channel: Channel | null = null;
  /** The reader has yet to take what was written. */
  #isBehind = false;
  #pingTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;

  constructor(sources: Sources, res: EdgeResponse, parameters: StreamParameters) {
    this.#sources = sources;
    this.#res = res;
    this.#parameters = parameters;
    res.on('close', () => this.#closed());
  }

  /** Sends the headers and what the client has missed, as the present states are known. */
  begin(channel: Channel): void {
    const res = this.#res;
    this.#channel = channel;
    if (res.destroyed) {
      channel.close();
      return;
    }
    res.on('drain', () => {
      this.#isBehind = false;
      this.wake();
    });
    const { socket } = res.req;
    // A client that ends its side gets the answers that it waits for; this one would never end.
    socket.on('end', () => this.end());
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, SILENCE);
    // No request follows on the connection: nothing of it is left when the stream ends.
    res.isLast = true;
    // The end of the connection ends the stream: chunks would only make each write dearer.
    res.removeHeader('Transfer-Encoding');
    res.writeHead(200, [...edgeHeaders(res), ...EVENT_HEADERS]);
    // Alone: Node keeps the head, which becomes one string only when it is written by itself.
    res.flushHeaders();
    if (!channel.isEnded) this.#sendFirst(channel);
    if (socket.readableEnded || channel.isEnded) this.end();
  }

  /** Ends the stream. Where the server stops, its clients come back at times that differ. */
  end(isStop = false): void {
    const res = this.#res;
    // Before its first octets it is still to be answered.
    if (res.writableEnded || !res.headersSent) return;
    if (isStop) res.write(`retry: ${randomOf(RETRY_AT_STOP)}\n\n`);
    res.end();
  }

  /** The token may do nothing any more. */
  ended(): void {
    this.end();
  }

  /** Sends news. A slow reader gets what there is when it has taken what was sent before. */
  wake(): void {
    if (this.#isBehind) return;
    const news = this.#channel?.take() ?? null;
    if (news === null) return;
    this.#write(this.#sources.eventOf(news));
    this.#restartPing();
    if (this.#parameters.closeAfterState) this.end();
  }

  #closed(): void {
    clearTimeout(this.#pingTimer);
    clearTimeout(this.#silenceTimer);
    this.#channel?.close();
    this.#sources.closed(this, principalOf(this.#res).userId);
  }

  /**
   * Sends `retry`, and what the client has missed. If that is nothing, it gets the id of the
   * present states without an event: so it has one if the connection breaks before the first event.
   */
  #sendFirst(channel: Channel): void {
    const news = channel.take();
    const retry = `retry: ${randomOf(RETRY)}\n`;
    if (news === null) this.#write(`${retry}id: ${channel.id}\n\n`);
    else this.#write(`${retry}${this.#sources.eventOf(news).toString()}`);
    this.#restartPing();
    if (news !== null && this.#parameters.closeAfterState) this.end();
  }

  /** Counts from the last event (RFC 8620 7.3). A ping has no id and tells the interval in use. */
  #restartPing(): void {
    const { ping } = this.#parameters;
    if (ping === 0) return;
    if (this.#pingTimer !== undefined) {
      this.#pingTimer.refresh();
      return;
    }
    this.#pingTimer = setTimeout(() => {
      if (!this.#isBehind) this.#write(`event: ping\ndata: {"interval":${ping}}\n\n`);
      this.#pingTimer?.refresh();
    }, ping * 1000);
    this.#pingTimer.unref();
  }

  #write(text: string | Buffer): void {
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return;
    this.#isBehind = !res.write(text);
    const { ping } = this.#parameters;
    if (ping === 0 || ping * 1000 > SILENCE) this.#restartSilence();
  }

  /** Proxies end connections on which nothing comes for a minute. Frequent pings prevent it. */
  #restartSilence(): void {
    if (this.#silenceTimer !== undefined) {
      this.#silenceTimer.refresh();
      return;
    }
    this.#silenceTimer = setTimeout(() => {
      if (this.#isBehind) this.#silenceTimer?.refresh();
      else this.#write(':\n\n');
    }, SILENCE);
    this.#silenceTimer.unref();
  }
}

function randomOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.floor(from + Math.random() * (to - from));
}
