import { LivePrincipals } from '../accounts/live-principals.js';
import { type Api, createApi } from '../methods/run-request.js';
import { createFeed, type Feed } from '../push/feed.js';
import { AnswerBudget, BodyBudget, Slots } from '../runtime/budgets.js';
import { Turns } from '../runtime/turns.js';
import { TIMINGS, type Timings, type TransportServices } from './services.js';

/** What HTTP and WebSocket have in common, one of each a process: limits are a user's, whatever carries it. */
export interface Shared {
  readonly services: TransportServices;
  readonly timings: Timings;
  readonly api: Api;
  /** maxConcurrentRequests. */
  readonly requests: Slots;
  readonly budget: BodyBudget;
  /** Of requests that take long to read. */
  readonly turns: Turns;
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
    turns: new Turns(),
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
