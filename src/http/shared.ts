import { DIRECTORY } from '../accounts/admin-port.js';
import { LivePrincipals } from '../accounts/live-principals.js';
import type { Authenticator, Tickets } from '../accounts/principal.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { Api, type CallMetrics, type Dispatcher } from '../methods/dispatch.js';
import type { OnceSettings } from '../methods/once.js';
import type { PrincipalViews } from '../methods/principals/principal-views.js';
import type { Registry } from '../methods/registry.js';
import type { IdGenerator } from '../protocol/ids.js';
import type { Sessions } from '../protocol/session.js';
import type { Hub } from '../push/hub/hub.js';
import { Push } from '../push/push.js';
import { Allowance, AnswerBudget, bodyAllowance } from '../runtime/budgets.js';
import { FairSlots } from '../runtime/fair-slots.js';
import type { Log } from '../runtime/log.js';
import type { RateLimits } from '../runtime/rates/rate-limits.js';
import { Seldom } from '../runtime/seldom.js';
import type { Conductor } from '../runtime/slices.js';
import type { Store } from '../store/port.js';
import type { Identity } from './identity.js';
import { overloaded } from './reply.js';

/** Kinds of connections that stay open. */
export type OpenKind = 'eventsource' | 'websocket';

/** The process's counters. No label holds an account, a user or a text that a client chose. */
export interface Metrics extends CallMetrics {
  /** `route` is a template, `seconds` from the first header to the end of the answer. */
  httpRequest(route: string, method: string, status: string, seconds: number): void;
  opened(kind: OpenKind): void;
  closed(kind: OpenKind): void;
  /** A rule of RATE_LIMITS has refused a request. */
  rateLimited(rule: string): void;
  /** Returns the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** The limits that both transports enforce, as the session advertises them. */
export interface TransportLimits {
  readonly maxSizeRequest: number;
  readonly maxSizeUpload: number;
  readonly maxCallsInRequest: number;
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentUpload: number;
  /** REQUEST_TIMEOUT, ms. */
  readonly requestTimeout: number;
  /** Octets of large answers that the process holds. */
  readonly answerMemory: number;
}

/** The parts that the transports are built on: made once at the start, or stand-ins in tests. */
export interface TransportServices {
  readonly limits: TransportLimits;
  /** Configured public base URL, or null. */
  readonly baseUrl: URL | null;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsToken: string | null;
  readonly rates: RateLimits;
  /** Whether permessage-deflate is agreed to. */
  readonly websocketCompression: boolean;
  readonly registry: Registry;
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  readonly authenticator: Authenticator;
  readonly identity: Identity;
  readonly tickets: Tickets;
  readonly store: Store;
  readonly blobs: BlobStore;
  /** Returns whether a backup runs: no octets may go then. Absent where none can run. */
  readonly blobsHeld?: (() => Promise<boolean>) | undefined;
  readonly ids: IdGenerator;
  readonly sessions: Sessions;
  /** The users that users see; absent where none are served. */
  readonly principalViews?: Pick<PrincipalViews, 'lookAtListening' | 'lookAtNoticed'> | undefined;
  /** The capability that an account must have for uploads and downloads; null asks for none. */
  readonly blobCapability: string | null;
  /** The capability that a request names in `using` to be explained. */
  readonly explainCapability?: string;
  /** Uploads with a key; absent where none may have one. */
  readonly once?: OnceSettings | undefined;
  /** Gives everything that takes long its turns. */
  readonly conductor: Conductor;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Is told why clients are answered 503, which says no reason. */
  readonly unavailable?: (error: unknown) => void;
  /** Other processes of the same database. */
  readonly hub: Hub;
  /** Resolves to the epoch of the database's states: another one after a restore. */
  readEpoch(): Promise<string>;
  /** Resolves when the process can serve: database reachable, migrations applied (GET /readyz). */
  ready(): Promise<void>;
  readonly timings?: Partial<Timings>;
}

export type Timings = Readonly<Record<keyof typeof TIMINGS, number>>;

/** Milliseconds, and octets a second. */
export const TIMINGS = Object.freeze({
  /** From the first octet of a request to the end of its headers. */
  headers: 10_000,
  /** A body must bring `bodyRate` octets a second in each such window. */
  bodyWindow: 10_000,
  bodyRate: 1000,
  /** A reader that takes nothing for so long is dropped. */
  stalledReader: 60_000,
  /**
   * The server drops a reader that takes nothing for so long, once the memory for answers is used
   * up.
   */
  answerStall: 5000,
  /** The same for a reader that has not taken all of an answer after so long. */
  answerHold: 60_000,
  /** How long a refused body is still read so that its sender sees the answer. */
  linger: 5000,
  keepAlive: 65_000,
  /** How often tokens of open connections are looked at again: within a second. */
  refresh: 250,
  /** WebSocket pings; a peer silent for two of them is gone. */
  heartbeat: 30_000,
});

/** The parts that HTTP and WebSocket share, once in a process: limits are a user's over both. */
export type Shared = ReturnType<typeof createShared>;

export function createShared(services: TransportServices) {
  const { limits, log, store, registry } = services;
  const timings: Timings = { ...TIMINGS, ...services.timings };
  // While the database is away each fails several times a second.
  const failures = new Seldom(2);
  const live = new LivePrincipals(services.authenticator, timings.refresh, (err) => {
    const fields = failures.admit('tokens');
    if (fields !== null)
      log.warn({ err, ...fields }, 'tokens of open connections could not be looked at');
  });
  // Each change of access may be one of the directory: no store tells of those.
  live.onChange(() => {
    push.hint(new Map([[DIRECTORY, null]]));
    services.principalViews?.lookAtListening(() => live.userIds());
  });
  const push = new Push({
    ...{ store, live, types: registry.stateTypes },
    viewRules: registry.relations.viewRules,
    held: new Set(registry.quotas === null ? [] : [registry.quotas.type.name]),
    ...{ hub: services.hub, readEpoch: services.readEpoch },
    onError(err) {
      const fields = failures.admit('states');
      if (fields !== null) log.warn({ err, ...fields }, 'states could not be compared for push');
    },
  });
  return {
    ...services,
    ...{ timings, push, live },
    api: new Api({ ...services, maxCallsInRequest: limits.maxCallsInRequest }),
    /** maxConcurrentRequests. */
    requests: new Allowance({ share: limits.maxConcurrentRequests }),
    /** Octets of request bodies. */
    budget: new Allowance(bodyAllowance(limits.maxSizeRequest)),
    /** Slots of requests that take long to read. */
    longRequests: openLongRequests(),
    answers: new AnswerBudget(limits.answerMemory, {
      stall: timings.answerStall,
      hold: timings.answerHold,
    }),
    close() {
      push.close();
      live.close();
    },
  };
}

/** Requests in which something takes long that are worked on at once, the whole process over. */
const LONG_REQUESTS = 4;

/**
 * Makes the slots of long requests. The parsed values of a request take twenty times its octets and
 * more. Parsing runs in slices, so without slots all requests in the budget would be in memory as
 * values at once. A user has one slot, from the start of the parsing until the answer is made; the
 * user's other requests wait as octets. A request waits no longer for its slot than a call may
 * take. Then it fails, and gives back all that it holds.
 */
export function openLongRequests(size = LONG_REQUESTS): FairSlots {
  const errors = { full: overloaded, late: overloaded, closed: overloaded };
  return new FairSlots({ size, share: 1, mayWait: Number.POSITIVE_INFINITY, errors });
}
