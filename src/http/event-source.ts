import type { LivePrincipals } from '../accounts/live-principals.js';
import type { Principal } from '../accounts/principal.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { tooManyOpen } from '../protocol/limits.js';
import type { Feed } from '../push/feed.js';
import type { Slots } from '../runtime/budgets.js';
import { edgeHeaders } from './edge-response.js';
import { EventStream } from './event-stream.js';
import { HttpError } from './reply.js';
import type { AuthenticatedHandler } from './route-request.js';
import type { Metrics } from './services.js';

/** RFC 8620 7.3 lets a server clamp: to no more than 30 below, no less than 300 above. Seconds. */
const MIN_PING = 5;
const MAX_PING = 3600;

export interface EventSourceOptions {
  readonly feed: Feed;
  readonly live: LivePrincipals;
  readonly dataTypes: ReadonlyMap<string, DataTypeDefinition>;
  readonly slots: Slots;
  readonly maxStreams: number;
  readonly metrics: Metrics;
  /** Streams that are open, for the end of the server. */
  readonly streams: Set<EventStream>;
}

interface Parameters {
  readonly types: ReadonlySet<string> | null;
  readonly closeAfterState: boolean;
  /** Seconds, 0 for none. */
  readonly ping: number;
}

/** GET {base}/jmap/eventsource?types=…&closeafter=…&ping=… (RFC 8620 7.3, D24). */
export function eventSourcePage(options: EventSourceOptions): AuthenticatedHandler {
  return async ({ req, res, principal, query }) => {
    const parameters = readParameters(query, options.dataTypes);
    if (req.method === 'HEAD') {
      res.writeHead(200, [...edgeHeaders(res), ...EventStream.headers]);
      res.end();
      return;
    }
    if (!options.slots.take(principal.userId))
      throw tooManyOpen('maxEventSources', options.maxStreams);
    open(options, new EventStream(req, res, parameters.ping), parameters, principal);
  };
}

/** Ties a stream to the feed and to its token until it closes. */
function open(
  options: EventSourceOptions,
  stream: EventStream,
  parameters: Parameters,
  principal: Principal,
): void {
  const { feed, live, slots, metrics, streams } = options;
  const forward = (): void => {
    // While the reader is behind, changes wait in the subscription, the newest state of each type alone.
    if (stream.isBlocked) return;
    const changed = subscription.collect();
    if (changed === null) return;
    stream.state(changed);
    if (parameters.closeAfterState) stream.end();
  };
  const subscription = feed.subscribe({ principal, types: parameters.types, wake: forward });
  const unfollow = live.follow(principal, (current) => {
    if (current === null) {
      stream.end();
      return;
    }
    subscription.setPrincipal(current);
    stream.forgetOthers(current.accounts);
  });
  streams.add(stream);
  metrics.opened('eventsource');
  stream.onDrain = forward;
  stream.onClose = () => {
    subscription.end();
    unfollow();
    streams.delete(stream);
    slots.release(principal.userId);
    metrics.closed('eventsource');
  };
  stream.start();
}

/** All three are required; a wrong one is 400. */
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
