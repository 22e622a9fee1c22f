import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { tooManyOpen } from '../protocol/limits.js';
import type { ChangedStates, Subscription } from '../push/feed.js';
import { Allowance } from '../runtime/budgets.js';
import type { Page } from './app.js';
import { type EdgeResponse, edgeHeaders, principalOf } from './edge-response.js';
import { HttpError } from './reply.js';
import type { Shared } from './shared.js';

/** RFC 8620 8.5: event sources that one user may have open. */
const MAX_STREAMS = 32;
/** RFC 8620 7.3 lets a server clamp: to no more than 30 below, no less than 300 above. Seconds. */
const MIN_PING = 5;
const MAX_PING = 3600;

const HEADERS: readonly string[] = Object.freeze([
  ...['Content-Type', 'text/event-stream'],
  ...['Cache-Control', 'no-store'],
  // A buffering proxy would hold events back.
  ...['X-Accel-Buffering', 'no'],
]);

interface Parameters {
  readonly types: ReadonlySet<string> | null;
  readonly closeAfterState: boolean;
  /** Seconds, 0 for none. */
  readonly ping: number;
}

/**
 * Answers GET {base}/jmap/eventsource?types=…&closeafter=…&ping=… (RFC 8620 7.3). `streams` holds
 * the open streams, which the server ends when it stops.
 */
export function eventSourcePage(shared: Shared, streams: Set<EventStream>): Page {
  const slots = new Allowance({ share: MAX_STREAMS });
  return async ({ req, res, query }) => {
    const { userId } = principalOf(res);
    const parameters = readParameters(query, shared.registry.dataTypes);
    if (req.method === 'HEAD') {
      res.writeHead(200, [...edgeHeaders(res), ...HEADERS]);
      res.end();
      return;
    }
    // It closed while its token was looked up.
    if (res.destroyed) return;
    if (!slots.take(userId)) throw tooManyOpen('maxEventSources', MAX_STREAMS);
    const stream = new EventStream(shared, res, parameters);
    streams.add(stream);
    shared.metrics.opened('eventsource');
    res.once('close', () => {
      streams.delete(stream);
      slots.release(userId);
      shared.metrics.closed('eventsource');
    });
  };
}

/** One open event source: the text/event-stream format, pings, and a reader that may be slow. */
export class EventStream {
  readonly #res: EdgeResponse;
  readonly #parameters: Parameters;
  readonly #subscription: Subscription;
  /** All states that this stream has pushed, of accounts in reach: the event id encodes them. */
  readonly #pushed = new Map<string, Map<string, string>>();
  /** The reader has yet to take what was written. */
  #isBehind = false;
  #timer: NodeJS.Timeout | undefined;

  /** Sends the headers: the stream is open until the response closes. */
  constructor({ feed, live }: Shared, res: EdgeResponse, parameters: Parameters) {
    this.#res = res;
    this.#parameters = parameters;
    const principal = principalOf(res);
    this.#subscription = feed.subscribe(principal, parameters.types, () => this.#forward());
    const unfollow = live.follow(principal, (current) => this.#follow(current));
    const { socket } = res.req;
    const sideEnded = (): void => this.end();
    res.once('close', () => {
      socket.off('end', sideEnded);
      clearTimeout(this.#timer);
      this.#subscription.end();
      unfollow();
    });
    res.on('drain', () => {
      this.#isBehind = false;
      this.#forward();
    });
    // A client that ends its side gets the answers that it waits for; this one would never end.
    socket.on('end', sideEnded);
    socket.setTimeout(0);
    socket.setNoDelay(true);
    res.writeHead(200, [...edgeHeaders(res), ...HEADERS]);
    res.flushHeaders();
    if (socket.readableEnded) this.end();
    this.#restartPing();
  }

  end(): void {
    if (!this.#res.writableEnded) this.#res.end();
  }

  /** Pushes changes. For a slow reader the subscription keeps the newest state of each type. */
  #forward(): void {
    if (this.#isBehind) return;
    const changed = this.#subscription.collect();
    if (changed === null) return;
    this.#pushState(changed);
    if (this.#parameters.closeAfterState) this.end();
  }

  /** Follows the token's reach: event ids leave out accounts that it has lost. */
  #follow(current: Principal | null): void {
    if (current === null) {
      this.end();
      return;
    }
    this.#subscription.setPrincipal(current);
    for (const accountId of this.#pushed.keys()) {
      if (!current.accounts.has(accountId)) this.#pushed.delete(accountId);
    }
  }

  /** RFC 8620 7.1, 7.3: a `state` event with a StateChange and an id. */
  #pushState(changed: ChangedStates): void {
    const data = JSON.stringify({ '@type': 'StateChange', changed: toWire(changed) });
    this.#write(`event: state\nid: ${this.#nextId(changed)}\ndata: ${data}\n\n`);
    this.#restartPing();
  }

  /** Makes an id of all that this stream has pushed, so that a server can tell what came after. */
  #nextId(changed: ChangedStates): string {
    for (const [accountId, states] of changed) {
      const pushed = this.#pushed.get(accountId);
      if (pushed === undefined) this.#pushed.set(accountId, new Map(states));
      else for (const [type, state] of states) pushed.set(type, state);
    }
    return Buffer.from(JSON.stringify(toWire(this.#pushed))).toString('base64url');
  }

  /** Counts from the last event (RFC 8620 7.3). A ping has no id and tells the interval in use. */
  #restartPing(): void {
    const { ping } = this.#parameters;
    clearTimeout(this.#timer);
    if (ping === 0 || this.#res.writableEnded) return;
    this.#timer = setTimeout(() => {
      if (!this.#isBehind) this.#write(`event: ping\ndata: {"interval":${ping}}\n\n`);
      this.#restartPing();
    }, ping * 1000);
    this.#timer.unref();
  }

  #write(text: string): void {
    const res = this.#res;
    if (!res.destroyed && !res.writableEnded) this.#isBehind = !res.write(text);
  }
}

function toWire(states: ChangedStates): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Array.from(states, ([accountId, types]) => [accountId, Object.fromEntries(types)]),
  );
}

/** Reads the parameters: all three are required; a wrong one is 400. */
function readParameters(
  query: URLSearchParams,
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
  };
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
