import type { DataTypeDefinition } from '../capability/definition.js';
import { tooManyOpen } from '../protocol/limits.js';
import type { News } from '../push/audience.js';
import type { Channel } from '../push/channel.js';
import { Allowance } from '../runtime/budgets.js';
import type { Page, PageRequest } from './app.js';
import { type EdgeResponse, edgeHeaders, principalOf } from './edge-response.js';
import { HttpError } from './reply.js';
import type { Shared } from './shared.js';

/** RFC 8620 8.5: event sources that one user may have open. */
const MAX_STREAMS = 32;
/** RFC 8620 7.3 lets a server clamp: to no more than 30 below, no less than 300 above. Seconds. */
const MIN_PING = 5;
const MAX_PING = 3600;

/** How long a client waits before it connects again (`retry`), ms: random, so that they spread. */
const RETRY = { from: 1000, to: 5000 };
/** The same where the server stops: all clients connect again at once otherwise. */
const RETRY_AT_STOP = { from: 1000, to: 10_000 };
/** After so many ms of silence a comment tells proxies that the stream lives. */
const SILENCE = 30_000;

const HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'text/event-stream'],
  // A proxy that compresses would gather events first.
  ...['Cache-Control', 'no-store, no-transform'],
  // A buffering proxy would hold events back.
  ...['X-Accel-Buffering', 'no'],
]);

interface Parameters {
  readonly types: ReadonlySet<string> | null;
  readonly closeAfterState: boolean;
  /** Seconds, 0 for none. */
  readonly ping: number;
  /** The last event that the client saw; null: it wants nothing of the past. */
  readonly lastEventId: string | null;
}

/**
 * Answers GET {base}/jmap/eventsource?types=…&closeafter=…&ping=… (RFC 8620 7.3). `streams` holds
 * the open streams, which the server ends when it stops.
 */
export function eventSourcePage(shared: Shared, streams: Set<EventStream>): Page {
  const slots = new Allowance({ share: MAX_STREAMS });
  const frames = new WeakMap<News, Buffer>();
  return async (request) => {
    const { req, res } = request;
    const { userId } = principalOf(res);
    const parameters = readParameters(request, shared.registry.dataTypes);
    if (req.method === 'HEAD') {
      res.writeHead(200, [...edgeHeaders(res), ...HEADERS]);
      res.end();
      return;
    }
    // It closed while its token was looked up.
    if (res.destroyed) return;
    if (!slots.take(userId)) throw tooManyOpen('maxEventSources', MAX_STREAMS);
    res.once('close', () => slots.release(userId));
    const stream = await EventStream.open(shared, { res, parameters, frames });
    if (res.destroyed) return;
    if (res.server.isStopping) stream.end(true);
    streams.add(stream);
    shared.metrics.opened('eventsource');
    res.once('close', () => {
      streams.delete(stream);
      shared.metrics.closed('eventsource');
    });
  };
}

interface StreamOptions {
  readonly res: EdgeResponse;
  readonly parameters: Parameters;
  /** The event of each news: streams that get the same share it. */
  readonly frames: WeakMap<News, Buffer>;
}

/** One open event source: the text/event-stream format, pings, and a reader that may be slow. */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #channel: Channel;
  /** The reader has yet to take what was written. */
  #isBehind = false;
  #pingTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;

  /** Sends the headers once the present states are known. Rejects with UnavailableError. */
  static async open(shared: Shared, options: StreamOptions): Promise<EventStream> {
    const { res, parameters } = options;
    const { types, lastEventId: told } = parameters;
    let stream: EventStream | null = null;
    const channel = await shared.push.open(
      { kind: 'eventsource', principal: principalOf(res), types, told },
      { wake: () => stream?.forward(), ended: () => stream?.end() },
    );
    stream = new EventStream(channel, options);
    stream.#begin();
    return stream;
  }

  private constructor(channel: Channel, options: StreamOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  /** Ends the stream. Where the server stops, its clients come back at times that differ. */
  end(isStop = false): void {
    const { res } = this.#options;
    if (res.writableEnded) return;
    if (isStop) res.write(`retry: ${randomOf(RETRY_AT_STOP)}\n\n`);
    res.end();
  }

  /** Sends news. A slow reader gets what there is when it has taken what was sent before. */
  forward(): void {
    if (this.#isBehind) return;
    const news = this.#channel.take();
    if (news === null) return;
    this.#write(this.#eventOf(news));
    this.#restartPing();
    if (this.#options.parameters.closeAfterState) this.end();
  }

  #begin(): void {
    const { res } = this.#options;
    const { socket } = res.req;
    if (res.destroyed) {
      this.#channel.close();
      return;
    }
    const sideEnded = (): void => this.end();
    res.once('close', () => {
      socket.off('end', sideEnded);
      clearTimeout(this.#pingTimer);
      clearTimeout(this.#silenceTimer);
      this.#channel.close();
    });
    res.on('drain', () => {
      this.#isBehind = false;
      this.forward();
    });
    // A client that ends its side gets the answers that it waits for; this one would never end.
    socket.on('end', sideEnded);
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, SILENCE);
    // No request follows on the connection: nothing of it is left when the stream ends.
    res.isLast = true;
    res.writeHead(200, [...edgeHeaders(res), ...HEADERS]);
    this.#sendFirst();
    if (socket.readableEnded || this.#channel.isEnded) this.end();
  }

  /**
   * Sends `retry`, and what the client has missed. If that is nothing, it gets the id of the
   * present states without an event: so it has one if the connection breaks before the first event.
   */
  #sendFirst(): void {
    const news = this.#channel.take();
    const retry = `retry: ${randomOf(RETRY)}\n`;
    if (news === null) this.#write(`${retry}id: ${this.#channel.id}\n\n`);
    else this.#write(`${retry}${this.#eventOf(news).toString()}`);
    this.#restartPing();
    if (news !== null && this.#options.parameters.closeAfterState) this.end();
  }

  /** Returns a `state` event with a StateChange and an id (RFC 8620 7.1, 7.3). */
  #eventOf(news: News): Buffer {
    const { frames } = this.#options;
    let frame = frames.get(news);
    if (frame === undefined) {
      const data = `{"@type":"StateChange","changed":${news.changed}}`;
      frame = Buffer.from(`event: state\nid: ${news.id}\ndata: ${data}\n\n`);
      frames.set(news, frame);
    }
    return frame;
  }

  /** Counts from the last event (RFC 8620 7.3). A ping has no id and tells the interval in use. */
  #restartPing(): void {
    const { ping } = this.#options.parameters;
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
    const { res } = this.#options;
    if (res.destroyed || res.writableEnded) return;
    this.#isBehind = !res.write(text);
    this.#restartSilence();
  }

  /** Proxies end connections on which nothing comes for a minute, whatever `ping` says. */
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

/** Reads the parameters: three are required; a wrong one is 400. */
function readParameters(
  { req, query }: Pick<PageRequest, 'req' | 'query'>,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): Parameters {
  const closeAfter = only(query, 'closeafter');
  if (closeAfter !== 'state' && closeAfter !== 'no') {
    throw new HttpError(400, 'closeafter must be "state" or "no".');
  }
  const ping = only(query, 'ping');
  if (!/^\d{1,15}$/.test(ping)) throw new HttpError(400, 'ping must be a number of seconds.');
  const seconds = Number(ping);
  return {
    types: readTypes(only(query, 'types'), dataTypes),
    closeAfterState: closeAfter === 'state',
    ping: seconds === 0 ? 0 : Math.min(Math.max(seconds, MIN_PING), MAX_PING),
    lastEventId: readLastEventId(req.headers['last-event-id'], query),
  };
}

/**
 * Reads the id of the last event. Where a client can't set the header, `lastEventId` in the query
 * stands for it; the header counts where both are there.
 */
function readLastEventId(
  header: string | readonly string[] | undefined,
  query: URLSearchParams,
): string | null {
  const inQuery = query.has('lastEventId') ? only(query, 'lastEventId') : '';
  const id = typeof header === 'string' ? header : inQuery;
  return id === '' ? null : id;
}

function only(query: URLSearchParams, name: string): string {
  const [value, ...more] = query.getAll(name);
  if (value === undefined || more.length > 0) throw new HttpError(400, `Give ${name} once.`);
  return value;
}

function readTypes(
  text: string,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): ReadonlySet<string> | null {
  if (text === '*') return null;
  const names = text.split(',');
  const unknown = names.filter((name) => !dataTypes.has(name));
  if (unknown.length > 0) {
    throw new HttpError(400, `types must be "*" or names of data types; unknown: "${unknown[0]}".`);
  }
  return new Set(names);
}
