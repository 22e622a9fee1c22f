import type { Principal } from '../accounts/principal.js';
import type { MethodError } from '../protocol/errors.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import { parseRequest, type RequestEnvelope } from '../protocol/request.js';
import { type ResponseBody, responseText } from '../protocol/response.js';
import type { Sessions } from '../protocol/session.js';
import type { RequestSource, Services } from './context.js';
import { type FailureLog, toMethodError, type UnavailableLog } from './failures.js';
import type { Registry } from './registry.js';
import { type DispatchLimits, RequestRun } from './request-run.js';

export type { DispatchLimits } from './request-run.js';

/** Counts calls and their errors. */
export interface CallMetrics {
  /** `method` is a registered method name. */
  methodCall(method: string): void;
  /** `type` is a method-level error type. */
  methodError(type: string): void;
}

export interface ApiOptions {
  readonly registry: Registry;
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  readonly sessions: Sessions;
  readonly metrics: CallMetrics;
  readonly maxCallsInRequest: number;
  /** The capability that a request names in `using` to be explained. */
  readonly explainCapability?: string;
}

const ERROR_PREFIX = '["error",{"type":"';

/** Runs JMAP requests, whatever carries them: HTTP and WebSocket differ only in framing. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /**
   * Answers a parsed body: the Response's text as pieces to write in order, `first` in front of its
   * members. Rejects with RequestError before anything is run.
   */
  async answer(
    value: JsonValue,
    principal: Principal,
    source: RequestSource,
    first?: JsonObject,
  ): Promise<string[]> {
    const { registry, dispatcher, sessions, metrics } = this.#options;
    const { maxCallsInRequest, explainCapability } = this.#options;
    const envelope = parseRequest(value, {
      ...{ maxCallsInRequest, explainCapability },
      hasCapability: (urn) => sessions.offers(principal, urn),
    });
    for (const call of envelope.methodCalls) {
      // A name that a client made up must not become a label.
      metrics.methodCall(registry.methods.has(call.name) ? call.name : 'unknown');
    }
    const body = await dispatcher.handle(envelope, principal, source);
    for (const text of body.invocations) {
      if (typeof text !== 'string' || !text.startsWith(ERROR_PREFIX)) continue;
      const end = text.indexOf('"', ERROR_PREFIX.length);
      metrics.methodError(text.slice(ERROR_PREFIX.length, end));
    }
    return responseText(body, sessions.state(principal), first);
  }
}

/** A short request whose client waits. */
const SHORT: RequestSource = Object.freeze({ isLong: false, isGone: () => false });

/** Runs the method calls of requests. */
export class Dispatcher {
  readonly services: Services;
  readonly limits: DispatchLimits;
  /** Turns what a call has thrown into the error that the call answers. */
  readonly toError: (error: unknown) => MethodError;

  constructor(
    services: Services,
    limits: DispatchLimits,
    log: FailureLog,
    unavailable?: UnavailableLog,
  ) {
    this.services = services;
    this.limits = limits;
    this.toError = (error) => toMethodError(error, log, unavailable);
  }

  /** Never rejects for anything that a call does: each failure is an `error` response. */
  handle(envelope: RequestEnvelope, principal: Principal, source = SHORT): Promise<ResponseBody> {
    return new RequestRun(this, envelope, principal, source).runCalls();
  }
}
