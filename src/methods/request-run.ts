import { performance } from 'node:perf_hooks';
import { seesPart } from '../access/views.js';
import type { Principal } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import { MethodError } from '../protocol/errors.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { Invocation, RequestEnvelope } from '../protocol/request.js';
import type { InvocationText, ResponseBody } from '../protocol/response.js';
import type { EarlierResponse } from '../protocol/result-references.js';
import { runInSlices } from '../runtime/slices.js';
import { accountOf, resolveAccount } from './accounts.js';
import {
  accountArgument,
  checkArguments,
  hasReferences,
  ReferenceAllowance,
  resolveOwnIds,
  resolveReferences,
} from './arguments.js';
import { MethodCall, mapOctets, separated } from './call.js';
import type { Answer, RequestScope, RequestSource, Services } from './context.js';
import { type ExplainedCall, Explanation } from './explain.js';
import { findReadAhead } from './get/request-read-ahead.js';
import { quoted } from './issues.js';
import { requireReach } from './judge-reach.js';
import {
  type FollowUp,
  hashArguments,
  hashOfKey,
  type KeyedArguments,
  OnceKey,
  takeKey,
} from './once.js';
import { clock } from './states.js';

export interface DispatchLimits {
  /** Octets, also of what result references put in. */
  readonly maxSizeRequest: number;
  /** Octets of a whole response. */
  readonly maxSizeResponse: number;
  /** Milliseconds for each method call. */
  readonly requestTimeout: number;
}

/** The parts of the process that a request needs. */
export interface RunSettings {
  readonly services: Services;
  readonly limits: DispatchLimits;
  readonly toError: (error: unknown) => MethodError;
}

/** The parts that few calls have. */
interface BegunWith {
  readonly explained: ExplainedCall | undefined;
  readonly once?: OnceKey;
}

/** A call that has its response. */
interface FinishedCall {
  readonly followUps: readonly FollowUp[];
  /** The parts of the keys of what follows from it; null for a call without a key. */
  readonly key: readonly (string | number)[] | null;
}

/** A call and the place of another one among those that follow from it. */
interface Leader extends FinishedCall {
  readonly place: number;
}

const REFUSED: FinishedCall = Object.freeze({ followUps: [], key: null });

/**
 * Octets kept for what stands around the invocations: the envelope, and one error response a call.
 */
const ENVELOPE_OCTETS = 256;
const ERROR_OCTETS = 160;

/** A request that has run for so long, ms, gives the event loop away before its next call. */
const LONG_RUN = 10;

/** The calls of one request, one after the other (RFC 8620 3.3). */
export class RequestRun {
  readonly #dispatcher: RunSettings;
  readonly #envelope: RequestEnvelope;
  readonly #scope: RequestScope;
  readonly #explanation: Explanation | null;
  readonly #allowance: ReferenceAllowance;
  readonly #referredTo: ReadonlySet<string>;
  readonly #earlier: EarlierResponse[] = [];
  readonly #texts: InvocationText[] = [];

  constructor(
    dispatcher: RunSettings,
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
      const finished = await this.#runCall(invocation, null);
      if (finished.followUps.length > 0) await this.#runFollowUps(invocation.callId, finished, 0);
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

  /**
   * 5.4: "after emitting the response, but before processing the next method". Calls that follow
   * from one of these run right behind that.
   */
  async #runFollowUps(callId: string, leader: FinishedCall, depth: number): Promise<void> {
    for (const [place, { name, args }] of leader.followUps.entries()) {
      const followUp = { name, args, callId };
      if (depth === MAX_FOLLOWING) this.#answerError(undefined, followUp, tooDeep(name));
      else {
        const finished = await this.#runCall(followUp, { ...leader, place });
        await this.#runFollowUps(callId, finished, depth + 1);
      }
    }
  }

  /** Runs a call to its response; resolves to the calls that follow from it. */
  async #runCall(current: Invocation, leader: Leader | null): Promise<FinishedCall> {
    let call: MethodCall | undefined;
    const explained = this.#explanation?.begin(current);
    try {
      const method = this.#method(current.name, leader !== null);
      const keyed = this.#takeKey(method, current, leader);
      const sent = keyed?.args ?? current.args;
      // The arguments of what follows from a call are ours.
      const read = (): JsonObject =>
        this.#arguments(method, leader === null ? this.#resolved(sent) : sent);
      let answer: Answer;
      if (keyed === null) {
        const args = read();
        call = this.#begin(method, current, args, { explained });
        answer = await call.answer(args);
      } else {
        const place = this.#accountArgument(method, sent) ?? read();
        const once = await this.#onceKey(method, keyed);
        call = this.#begin(method, current, place, { explained, once });
        answer = await call.answerOnce(once, read);
      }
      const { response, text, createdIds, followUps } = answer;
      // 3.3: only now is the call known to have succeeded. The latest creation under an id
      // counts (5.3).
      for (const [creationId, id] of createdIds) this.#scope.createdIds.set(creationId, id);
      this.#emit(text, current.name, response, current.callId);
      explained?.end(response, this.#scope.readAhead);
      call.committed();
      return { followUps, key: keyed && [...keyed.key, method.name, accountOf(call).id] };
    } catch (error) {
      const methodError = this.#answerError(call, current, error);
      explained?.fail(methodError);
      return REFUSED;
    }
  }

  /** Returns null for nearly all calls. A call that follows from one with a key has one. */
  #takeKey(
    method: MethodDefinition,
    { args }: Invocation,
    leader: Leader | null,
  ): KeyedArguments | null {
    const { once } = this.#dispatcher.services;
    if (leader !== null)
      return leader.key === null ? null : { key: [...leader.key, leader.place], args };
    const takesKeys = once !== undefined && this.#scope.using.has(once.capability);
    return takesKeys ? takeKey(method, args) : null;
  }

  /**
   * Returns the account that a call with a key names. The key is looked up before other references
   * are replaced: if the call comes again, what they led to may be gone. Null for an account that
   * is not named once, which the call can't do without.
   */
  #accountArgument(method: MethodDefinition, sent: JsonObject): JsonObject | null {
    const args = accountArgument(method, sent);
    return args && accountArgument(method, resolveReferences(args, this.#earlier, this.#allowance));
  }

  async #onceKey({ name }: MethodDefinition, { key, args }: KeyedArguments): Promise<OnceKey> {
    const { services } = this.#dispatcher;
    const { once, conductor } = services;
    const hash = await runInSlices(hashArguments(args), conductor.startSlices());
    const since = clock(services) - (once?.keep ?? 0);
    return new OnceKey(hashOfKey(this.#scope.principal.userId, name, ...key), hash, since);
  }

  #arguments(method: MethodDefinition, args: JsonObject): JsonObject {
    return checkArguments(method, resolveOwnIds(method, args, this.#scope.createdIds));
  }

  #resolved(args: JsonObject): JsonObject {
    const resolved = resolveReferences(args, this.#earlier, this.#allowance);
    if (this.#allowance.isLong) this.#scope.isLong = true;
    return resolved;
  }

  #begin(
    method: MethodDefinition,
    { callId }: Invocation,
    args: JsonObject,
    { explained, once }: BegunWith,
  ): MethodCall {
    const { principal } = this.#scope;
    const { services, limits } = this.#dispatcher;
    const account =
      method.account === 'none'
        ? undefined
        : resolveAccount(method, args, principal, services.registry);
    if (explained !== undefined) {
      const ids = [args['accountId'], args['fromAccountId']];
      const read = ids.flatMap((id) => principal.accounts.get(String(id)) ?? []);
      const { viewRules } = services.registry.relations;
      explained.isPartial = read.some((one) => seesPart(one, viewRules));
    }
    return new MethodCall({
      services: explained?.servicesFor(account?.id ?? null, services) ?? services,
      request: this.#scope,
      method,
      account,
      deadline: performance.now() + limits.requestTimeout,
      callId,
      showsCreatedIds: this.#envelope.createdIds !== null,
      once,
    });
  }

  #answerError(call: MethodCall | undefined, { callId }: Invocation, error: unknown): MethodError {
    call?.release();
    call?.undone(error);
    const methodError = this.#dispatcher.toError(error);
    const failure = methodError.toResponse();
    const text = JSON.stringify(['error', failure, callId]);
    this.#scope.remainingOctets -= separated(text);
    this.#emit(text, 'error', failure, callId);
    return methodError;
  }

  /**
   * Returns a method that exists and whose capability is in `using` (3.3); names are exact (3.2).
   * A call that the server makes itself needs no capability in `using`. Throws `forbidden` for one
   * that is out of the principal's reach.
   */
  #method(name: string, isOurs: boolean): MethodDefinition {
    const { registry } = this.#dispatcher.services;
    const method = registry.methods.get(name);
    if (method === undefined) {
      throw new MethodError('unknownMethod', `There is no method ${quoted(name)}.`);
    }
    if (!isOurs && !this.#scope.using.has(method.capability)) {
      const why = `The method ${quoted(name)} needs ${method.capability} in "using".`;
      throw new MethodError('unknownMethod', why);
    }
    requireReach(this.#scope.principal, method, registry);
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

/** How deep calls may follow from calls that follow from others. */
const MAX_FOLLOWING = 8;

function tooDeep(name: string): Error {
  return new Error(
    `Calls follow others more than ${MAX_FOLLOWING} levels deep; the last one was ${name}.`,
  );
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
