import { performance } from 'node:perf_hooks';
import type { Principal } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import { MethodError } from '../protocol/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import { type Invocation, parseRequest, type RequestEnvelope } from '../protocol/request.js';
import { type InvocationText, type ResponseBody, responseText } from '../protocol/response.js';
import type { EarlierResponse } from '../protocol/result-references.js';
import type { Sessions } from '../protocol/session.js';
import { resolveAccount } from './accounts.js';
import {
  checkArguments,
  hasReferences,
  ReferenceAllowance,
  resolveReferences,
} from './arguments.js';
import { MethodCall, mapOctets, NOTHING, separated } from './call.js';
import type { RequestScope, RequestSource, Services } from './context.js';
import { type ExplainedCall, Explanation } from './explain.js';
import { type FailureLog, toMethodError, type UnavailableLog } from './failures.js';
import { findReadAhead } from './get/request-read-ahead.js';
import { quoted } from './issues.js';
import type { Registry } from './registry.js';

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
  readonly #options: ApiOptions & { readonly hasCapability: (urn: string) => boolean };

  constructor(options: ApiOptions) {
    const { capabilities } = options.registry;
    this.#options = { ...options, hasCapability: (urn) => capabilities.has(urn) };
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
    const envelope = parseRequest(value, this.#options);
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

export interface DispatchLimits {
  /** Octets, also of what result references put in. */
  readonly maxSizeRequest: number;
  /** Octets of a whole response. */
  readonly maxSizeResponse: number;
  /** Milliseconds for each method call. */
  readonly requestTimeout: number;
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

/**
 * Octets kept for what stands around the invocations: the envelope, and one error response a call.
 */
const ENVELOPE_OCTETS = 256;
const ERROR_OCTETS = 160;

/** A request that has run for so long, ms, gives the event loop away before its next call. */
const LONG_RUN = 10;

/** The calls of one request, one after the other (RFC 8620 3.3). */
class RequestRun {
  readonly #dispatcher: Dispatcher;
  readonly #envelope: RequestEnvelope;
  readonly #scope: RequestScope;
  readonly #explanation: Explanation | null;
  readonly #allowance: ReferenceAllowance;
  readonly #referredTo: ReadonlySet<string>;
  readonly #earlier: EarlierResponse[] = [];
  readonly #texts: InvocationText[] = [];

  constructor(
    dispatcher: Dispatcher,
    envelope: RequestEnvelope,
    principal: Principal,
    source: RequestSource,
  ) {
    const { services, limits } = dispatcher;
    const { methodCalls, using, createdIds, explain } = envelope;
    this.#dispatcher = dispatcher;
    this.#envelope = envelope;
    let remainingOctets = limits.maxSizeResponse - ENVELOPE_OCTETS - mapOctets(createdIds ?? []);
    for (const call of methodCalls) remainingOctets -= errorOctets(call);
    const { isLong, isGone, room } = source;
    this.#scope = {
      principal,
      using,
      isLong,
      isGone,
      room,
      createdIds: new Map(createdIds),
      remainingOctets,
      readAhead: null,
    };
    this.#explanation = explain ? new Explanation(services.store) : null;
    this.#allowance = new ReferenceAllowance(limits.maxSizeRequest);
    this.#referredTo = referredCallIds(methodCalls);
  }

  async runCalls(): Promise<ResponseBody> {
    const { methodCalls } = this.#envelope;
    const { services, limits } = this.#dispatcher;
    let begun = performance.now();
    for (const [index, invocation] of methodCalls.entries()) {
      // Reading calls wait for nothing but microtasks: all of them would be one turn of the event
      // loop.
      if (index > 0 && performance.now() - begun > LONG_RUN) {
        await services.conductor.awaitTurn();
        begun = performance.now();
      }
      this.#scope.remainingOctets += errorOctets(invocation);
      // Objects that a query found for the next call are dropped after that call.
      if (this.#scope.readAhead?.get !== invocation)
        this.#scope.readAhead = this.#referredTo.has(invocation.callId)
          ? findReadAhead(methodCalls, index, services.registry)
          : null;
      // 5.4: "after emitting the response, but before processing the next method".
      for (const call of await this.#runCall(invocation, false)) await this.#runCall(call, true);
    }
    const shown = this.#envelope.createdIds === null ? null : this.#scope.createdIds;
    const answer = { invocations: this.#texts, createdIds: shown };
    if (this.#explanation === null) return answer;
    // This is one more wait, as long as a call's at most, however long the calls took.
    const explain = await this.#explanation.tell(
      limits.requestTimeout,
      this.#scope.principal.userId,
    );
    return { ...answer, explain };
  }

  /** Runs a call to its response; resolves to the calls that follow from it. */
  async #runCall(current: Invocation, isFollowing: boolean): Promise<readonly Invocation[]> {
    let call: MethodCall | undefined;
    const explained = this.#explanation?.begin(current);
    try {
      const method = this.#method(current.name);
      // The arguments of what follows from a call are ours.
      const resolved = isFollowing ? current.args : this.#resolved(current);
      const args = checkArguments(method, resolved);
      call = this.#begin(method, current, args, explained);
      const { response, text, createdIds } = await call.answer(args);
      // 3.3: only now is the call known to have succeeded. The latest creation under an id
      // counts (5.3).
      for (const [creationId, id] of createdIds) this.#scope.createdIds.set(creationId, id);
      this.#emit(text, current.name, response, current.callId);
      explained?.end(response, this.#scope.readAhead);
      call.committed();
      return call.followUps;
    } catch (error) {
      const methodError = this.#answerError(call, current, error);
      explained?.fail(methodError);
      return NOTHING;
    }
  }

  #resolved({ args }: Invocation): JsonObject {
    const resolved = resolveReferences(args, this.#earlier, this.#allowance);
    if (this.#allowance.isLong) this.#scope.isLong = true;
    return resolved;
  }

  #begin(
    method: MethodDefinition,
    { callId }: Invocation,
    args: JsonObject,
    explained: ExplainedCall | undefined,
  ): MethodCall {
    const { principal } = this.#scope;
    const { services, limits } = this.#dispatcher;
    const account = method.account === 'none' ? undefined : resolveAccount(method, args, principal);
    return new MethodCall({
      services: explained?.servicesFor(account?.id ?? null, services) ?? services,
      request: this.#scope,
      method,
      account,
      deadline: performance.now() + limits.requestTimeout,
      callId,
      showsCreatedIds: this.#envelope.createdIds !== null,
    });
  }

  #answerError(call: MethodCall | undefined, { callId }: Invocation, error: unknown): MethodError {
    call?.release();
    const methodError = this.#dispatcher.toError(error);
    const failure = methodError.toResponse();
    const text = JSON.stringify(['error', failure, callId]);
    this.#scope.remainingOctets -= separated(text);
    this.#emit(text, 'error', failure, callId);
    return methodError;
  }

  /**
   * Returns a method that exists and whose capability is in `using` (3.3); names are exact (3.2).
   */
  #method(name: string): MethodDefinition {
    const method = this.#dispatcher.services.registry.methods.get(name);
    if (method === undefined) {
      throw new MethodError('unknownMethod', `There is no method ${quoted(name)}.`);
    }
    if (!this.#scope.using.has(method.capability)) {
      const why = `The method ${quoted(name)} needs ${method.capability} in "using".`;
      throw new MethodError('unknownMethod', why);
    }
    return method;
  }

  /**
   * The value is kept only where a reference can want it, and only the first of its call id (3.7).
   */
  #emit(text: InvocationText, name: string, args: object, callId: string): void {
    this.#texts.push(text);
    if (!this.#referredTo.has(callId)) return;
    if (this.#earlier.some((response) => response.callId === callId)) return;
    this.#earlier.push({ name, args, callId });
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Returns every call id that some argument of the request refers to by `resultOf`. */
function referredCallIds(calls: readonly Invocation[]): ReadonlySet<string> {
  // A single call has none before it.
  if (calls.length < 2) return NONE;
  const ids = new Set<string>();
  for (const { args } of calls) {
    if (!hasReferences(args)) continue;
    for (const [name, value] of Object.entries(args)) {
      if (!name.startsWith('#') || !isJsonObject(value)) continue;
      const { resultOf } = value;
      if (typeof resultOf === 'string') ids.add(resultOf);
    }
  }
  return ids;
}

/** Returns the octets kept for a call's error response, whatever earlier calls have used. */
function errorOctets(call: Invocation): number {
  return ERROR_OCTETS + Buffer.byteLength(call.callId);
}
