import { LivePrincipals } from '../accounts/live-principals.js';
import { type Api, createApi } from '../methods/run-request.js';
import { createFeed, type Feed } from '../push/feed.js';
import { AnswerBudget, BodyBudget, Slots } from '../runtime/budgets.js';
import { FairTurns } from '../runtime/fair-turns.js';
import { overloaded } from './reply.js';
import { TIMINGS, type Timings, type TransportServices } from './services.js';

/** What HTTP and WebSocket have in common, one of each a process: limits are a user's, whatever carries it. */
export interface Shared {
  readonly services: TransportServices;
  readonly timings: Timings;
  readonly api: Api;
  /** maxConcurrentRequests. */
  readonly requests: Slots;
  readonly budget: BodyBudget;
  /** Turns of requests that take long to read. */
  readonly longRequests: FairTurns;
  readonly answers: AnswerBudget;
  readonly feed: Feed;
  readonly live: LivePrincipals;
  close(): void;
}

export function createShared(services: TransportServices): Shared {
  const { limits, log } = services;
  const timings = { ...TIMINGS, ...services.timings };
  const feed = createFeed(services.store, services.registry.dataTypes);
  const live = new LivePrincipals(services.authenticator, timings.refresh, (error) =>
    log.warn({ err: error }, 'tokens of open connections could not be looked at'),
  );
  return {
    services,
    timings,
    api: createApi({ ...services, maxCallsInRequest: limits.maxCallsInRequest }),
    requests: new Slots(limits.maxConcurrentRequests),
    budget: new BodyBudget(limits.maxSizeRequest),
    longRequests: openLongRequests(),
    answers: new AnswerBudget(limits.answerMemory, {
      stall: timings.answerStall,
      hold: timings.answerHold,
    }),
    feed,
    live,
    close() {
      feed.close();
      live.close();
    },
  };
}

/** Requests in which something takes long that are worked on at once, the whole process over. */
const LONG_REQUESTS = 4;

/**
 * Makes turns of requests that are long. The values that one is read to take twenty times its
 * octets and more, and requests are read in slices: all requests that the budget lets in would be
 * in memory at once. So a user has one of them at a time, from the beginning of its reading until
 * its answer is made. Meanwhile the others are octets alone. No wait is longer than a call may
 * take (D6), so what a request holds, its user's slot among it, comes back.
 */
export function openLongRequests(size = LONG_REQUESTS): FairTurns {
  const errors = { full: overloaded, late: overloaded, closed: overloaded };
  return new FairTurns({ size, share: 1, mayWait: Number.POSITIVE_INFINITY, errors });
}
