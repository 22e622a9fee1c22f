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
import type { AnswerRoom, RequestScope, Services } from './context.js';
import { Explanation } from './explain.js';
import { type FailureLog, toMethodError, type UnavailableLog } from './failures.js';
import { foresightOf } from './get/foresight.js';
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
  readonly dispatcher: Dispatcher;
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
   * Runs a parsed body: the Response's text as pieces to write in order, `first` in front of its members. Rejects with
   * RequestError before anything is run.
   */
  async run(
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

/** The client behind a request, and the memory for its answers. */
export interface RequestSource {
  /** The request took long to read, so its calls and their answers may take long as well. */
  readonly isLong: boolean;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
  readonly room?: AnswerRoom;
}

/** A short request whose client waits. */
const SHORT: RequestSource = Object.freeze({ isLong: false, isGone: () => false });

/** Runs the method calls of requests. */
export interface Dispatcher {
  /** Never rejects for anything that a call does: each failure is an `error` response. */
  handle(
    envelope: RequestEnvelope,
    principal: Principal,
    source?: RequestSource,
  ): Promise<ResponseBody>;
}

export function createDispatcher(
  services: Services,
  limits: DispatchLimits,
  log: FailureLog,
  unavailable?: UnavailableLog,
): Dispatcher {
  const fail = (error: unknown): MethodError => toMethodError(error, log, unavailable);
  const common = { services, limits, fail };
  return Object.freeze({
    handle(envelope: RequestEnvelope, principal: Principal, source = SHORT) {
      const scope = scopeOf(envelope, principal, source, limits);
      return new RequestRun(common, envelope, scope).run();
    },
  });
}

/** The parts that all requests share. */
interface Common {
  readonly services: Services;
  readonly limits: DispatchLimits;
  readonly fail: (error: unknown) => MethodError;
}

/**
 * Octets kept for what stands around the invocations: the envelope, and one error response a call.
 */
const ENVELOPE_OCTETS = 256;
const ERROR_OCTETS = 160;

/** After so long, ms, a request lets others have a turn before its next call. */
const TURN = 10;

function scopeOf(
  { methodCalls, using, createdIds }: RequestEnvelope,
  principal: Principal,
  { isLong, isGone, room }: RequestSource,
  { maxSizeResponse }: DispatchLimits,
): RequestScope {
  let remainingOctets = maxSizeResponse - ENVELOPE_OCTETS - mapOctets(createdIds ?? []);
  for (const call of methodCalls) remainingOctets -= errorOctets(call);
  const ids = new Map(createdIds);
  return {
    principal,
    using,
    isLong,
    isGone,
    room,
    createdIds: ids,
    remainingOctets,
    foresight: null,
  };
}

/** The calls of one request, one after the other (RFC 8620 3.3). */
class RequestRun {
  readonly #common: Common;
  readonly #envelope: RequestEnvelope;
  readonly #scope: RequestScope;
  readonly #explanation: Explanation | null;
  readonly #allowance: ReferenceAllowance;
  readonly #referredTo: ReadonlySet<string>;
  readonly #earlier: EarlierResponse[] = [];
  readonly #texts: InvocationText[] = [];

  constructor(common: Common, envelope: RequestEnvelope, scope: RequestScope) {
    this.#common = common;
    this.#envelope = envelope;
    this.#scope = scope;
    this.#explanation = envelope.explain ? new Explanation(common.services) : null;
    this.#allowance = new ReferenceAllowance(common.limits.maxSizeRequest);
    this.#referredTo = referredCallIds(envelope.methodCalls);
  }

  async run(): Promise<ResponseBody> {
    const { methodCalls } = this.#envelope;
    let begun = performance.now();
    for (const [index, invocation] of methodCalls.entries()) {
      // Reading calls wait for nothing but microtasks: all of them would be one turn of the event
      // loop.
      if (index > 0 && performance.now() - begun > TURN) {
        await this.#common.services.conductor.awaitTurn();
        begun = performance.now();
      }
      this.#scope.remainingOctets += errorOctets(invocation);
      // Objects that a query found for the next call are dropped after that call.
      if (this.#scope.foresight?.get !== invocation)
        this.#scope.foresight = this.#referredTo.has(invocation.callId)
          ? foresightOf(methodCalls, index, this.#common.services.registry)
          : null;
      // 5.4: "after emitting the response, but before processing the next method".
      for (const call of await this.#run(invocation, false)) await this.#run(call, true);
    }
    const shown = this.#envelope.createdIds === null ? null : this.#scope.createdIds;
    const answer = { invocations: this.#texts, createdIds: shown };
    if (this.#explanation === null) return answer;
    // Whatever the calls have taken: it is one wait more, as long as a call's at the most.
    const { requestTimeout } = this.#common.limits;
    const explain = await this.#explanation.told(requestTimeout, this.#scope.principal.userId);
    return { ...answer, explain };
  }

  /** Runs a call to its response; resolves to the calls that follow from it. */
  async #run(current: Invocation, isFollowing: boolean): Promise<readonly Invocation[]> {
    let call: MethodCall | undefined;
    this.#explanation?.begin(current);
    try {
      const method = this.#method(current.name);
      // The arguments of what follows from a call are ours.
      const resolved = isFollowing ? current.args : this.#resolved(current);
      const args = checkArguments(method, resolved);
      call = this.#begin(method, current, args);
      const { response, text, createdIds } = await call.run(args);
      // 3.3: only now is the call known to have succeeded. The latest creation under an id
      // counts (5.3).
      for (const [creationId, id] of createdIds) this.#scope.createdIds.set(creationId, id);
      this.#emit(text, current.name, response, current.callId);
      this.#explanation?.ended(current.name, response, this.#scope.foresight);
      call.committed();
      return call.followUps;
    } catch (error) {
      this.#failed(call, current, error);
      return NOTHING;
    }
  }

  #resolved({ args }: Invocation): JsonObject {
    const resolved = resolveReferences(args, this.#earlier, this.#allowance);
    if (this.#allowance.isLong) this.#scope.isLong = true;
    return resolved;
  }

  #begin(method: MethodDefinition, { callId }: Invocation, args: JsonObject): MethodCall {
    const { principal } = this.#scope;
    const { services } = this.#common;
    const account = method.account === 'none' ? undefined : resolveAccount(method, args, principal);
    return new MethodCall({
      services: this.#explanation?.servicesFor(account?.id ?? null, services) ?? services,
      request: this.#scope,
      method,
      account,
      deadline: performance.now() + this.#common.limits.requestTimeout,
      callId,
      showsCreatedIds: this.#envelope.createdIds !== null,
    });
  }

  #failed(call: MethodCall | undefined, { callId }: Invocation, error: unknown): void {
    call?.release();
    const methodError = this.#common.fail(error);
    const failure = methodError.toResponse();
    const text = JSON.stringify(['error', failure, callId]);
    this.#scope.remainingOctets -= separated(text);
    this.#emit(text, 'error', failure, callId);
    this.#explanation?.ended('error', null, null, methodError);
  }

  /** A method that exists and whose capability is in `using` (3.3); names are exact (3.2). */
  #method(name: string): MethodDefinition {
    const method = this.#common.services.registry.methods.get(name);
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

/** Every call id that some argument of the request refers to by `resultOf`. */
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

/** What an error response of a call may take at least, whatever the calls before it have used. */
function errorOctets(call: Invocation): number {
  return ERROR_OCTETS + Buffer.byteLength(call.callId);
}
