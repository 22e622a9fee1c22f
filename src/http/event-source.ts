import type { DataTypeDefinition } from '../capability/definition.js';
import { tooManyOpen } from '../protocol/limits.js';
import type { News } from '../push/audience.js';
import { Allowance } from '../runtime/budgets.js';
import type { PageRequest } from './app.js';
import { edgeHeaders, principalOf } from './edge-response.js';
import { EVENT_HEADERS, EventStream, type StreamParameters } from './event-stream.js';
import { HttpError } from './reply.js';
import type { Shared } from './shared.js';

/** RFC 8620 8.5: event sources that one user may have open. */
const MAX_STREAMS = 32;
/** RFC 8620 7.3 lets a server clamp: to no more than 30 below, no less than 300 above. Seconds. */
const MIN_PING = 5;
const MAX_PING = 3600;

/** The open event sources of a server. */
export class EventSources {
  readonly #shared: Shared;
  readonly #slots = new Allowance({ share: MAX_STREAMS });
  readonly #open = new Set<EventStream>();
  readonly #events = new WeakMap<News, Buffer>();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Answers GET {base}/jmap/eventsource?types=…&closeafter=…&ping=… (RFC 8620 7.3). */
  readonly page = async (request: PageRequest): Promise<void> => {
    const { req, res } = request;
    const principal = principalOf(res);
    const parameters = readParameters(request, this.#shared.registry.stateTypes);
    if (req.method === 'HEAD') {
      res.writeHead(200, [...edgeHeaders(res), ...EVENT_HEADERS]);
      res.end();
      return;
    }
    // It closed while its token was looked up.
    if (res.destroyed) return;
    if (!this.#slots.take(principal.userId)) throw tooManyOpen('maxEventSources', MAX_STREAMS);
    const stream = new EventStream(this, res, parameters);
    this.#open.add(stream);
    this.#shared.metrics.opened('eventsource');
    const { types, lastEventId: lastId } = parameters;
    const wishes = { kind: 'eventsource', principal, types, lastId } as const;
    stream.begin(await this.#shared.push.open(wishes, stream));
    if (res.server.isStopping) stream.end(true);
  };

  /** Ends all streams, as the server stops. */
  end(): void {
    for (const stream of this.#open) stream.end(true);
  }

  /** A stream has closed. */
  closed(stream: EventStream, userId: string): void {
    this.#open.delete(stream);
    this.#slots.release(userId);
    this.#shared.metrics.closed('eventsource');
  }

  /**
   * Returns a `state` event with a StateChange and an id (RFC 8620 7.1, 7.3). Streams that get the
   * same news share it.
   */
  eventOf(news: News): Buffer {
    let event = this.#events.get(news);
    if (event === undefined) {
      const data = `{"@type":"StateChange","changed":${news.changed}}`;
      event = Buffer.from(`event: state\nid: ${news.id}\ndata: ${data}\n\n`);
      this.#events.set(news, event);
    }
    return event;
  }
}

/** Reads the parameters: three are required; a wrong one is 400. */
function readParameters(
  { req, query }: Pick<PageRequest, 'req' | 'query'>,
  dataTypes: ReadonlyMap<string, DataTypeDefinition>,
): StreamParameters {
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
