import type { AccountAccess } from '../accounts/principal.js';
import type { MethodDefinition } from '../capability/capability-definition.js';
import { MethodError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import { stringifyInSlices } from '../protocol/stringify-slices.js';
import { requireTime } from '../runtime/deadlines.js';
import type { Slices } from '../runtime/slices.js';
import type { Snapshot } from '../store/port.js';
import { accountOf } from './accounts.js';
import { METHOD_BODIES } from './bodies.js';
import type {
  AdmitOptions,
  Answer,
  CallContext,
  CallHooks,
  CreatedIds,
  RequestScope,
  Services,
} from './context.js';
import { AnsweredBeforeError, type EarlierAnswer, type OnceKey } from './once.js';
import { openPrincipals } from './principals/open-principals.js';
import { openQuotas } from './quota/keep-quotas.js';

export interface CallOptions {
  readonly services: Services;
  readonly request: RequestScope;
  readonly method: MethodDefinition;
  readonly account: AccountAccess | undefined;
  readonly deadline: number;
  readonly callId: string;
  /** The response will show the map of creation ids: new entries count towards its octets. */
  readonly showsCreatedIds: boolean;
  /** Set if the client gave the call a key. */
  readonly once?: OnceKey | undefined;
  /** Makes the hooks of a `tx.set`: they belong to those of the call whose hook makes it. */
  readonly hooksWithin?: (call: CallContext) => CallHooks;
}

const NONE: readonly never[] = Object.freeze([]);
/** Responses of calls with more octets count towards what the process holds of answers. */
const LARGE = 65_536;

/** One method call while it runs: the context of its handler. */
export class MethodCall implements CallContext {
  readonly services: Services;
  readonly request: RequestScope;
  readonly method: MethodDefinition;
  readonly account: AccountAccess | undefined;
  readonly deadline: number;
  readonly isInternal: boolean;
  readonly hooks: CallHooks | null;
  readonly #callId: string;
  readonly #showsCreatedIds: boolean;
  /** The answer that `admit` made last. */
  #answer: Answer | null = null;

  constructor(options: CallOptions) {
    const { once, services } = options;
    this.services =
      once === undefined
        ? services
        : { ...services, store: once.storeFor(services.store, () => this.#answer) };
    this.request = options.request;
    this.method = options.method;
    this.account = options.account;
    this.deadline = options.deadline;
    this.isInternal = options.hooksWithin !== undefined;
    this.hooks = options.hooksWithin?.(this) ?? this.services.hooks?.ofCall(this) ?? null;
    this.#callId = options.callId;
    this.#showsCreatedIds = options.showsCreatedIds;
  }

  /** Runs the body of the method. Resolves to its answer, whose octets are taken. */
  async answer(args: JsonObject): Promise<Answer> {
    const { body, name } = this.method;
    const { hooks, services } = this;
    if (services.registry.quotas !== null) await openQuotas(this);
    if (services.principals !== undefined) await openPrincipals(this);
    if (body === 'hookFile') {
      if (hooks === null) throw new Error(`No hook file implements ${name}.`);
      return hooks.runOwn(name, args);
    }
    if (hooks === null) return METHOD_BODIES[body](args, this);
    const prepared = await hooks.prepare(args);
    return METHOD_BODIES[body](prepared.args, this, prepared.sent);
  }

  /** Does the same for a call with a key, unless it was made before. `read` gives its arguments. */
  async answerOnce(once: OnceKey, read: () => JsonObject): Promise<Answer> {
    const { store } = this.services;
    const find = (snapshot: Snapshot): Promise<EarlierAnswer | null> => once.find(snapshot);
    const earlier = await store.read(accountOf(this).id, { deadline: this.deadline }, find);
    if (earlier !== null) return this.#answerAgain(earlier);
    try {
      const answer = await this.answer(read());
      // A call with nothing to write keeps its answer, too.
      if (!once.isKept) await this.#keepAnswer();
      return answer;
    } catch (error) {
      if (error instanceof AnsweredBeforeError) return this.#answerAgain(error.answer);
      throw error;
    }
  }

  #answerAgain({ response, createdIds, followUps }: EarlierAnswer): Promise<Answer> {
    // Those of an attempt that was undone.
    this.hooks?.begin();
    return this.#take(response, { createdIds, followUps });
  }

  async #keepAnswer(): Promise<void> {
    const { services, deadline } = this;
    await services.store.write(accountOf(this).id, { deadline }, async () => undefined);
  }

  /** The call's answer is safe: what hooks have kept for then is run. */
  committed(): void {
    this.hooks?.committed();
  }

  /** The call has failed with `error`. */
  undone(error: unknown): void {
    this.hooks?.undone(error);
  }

  startSlices(isUrgent = false): Slices {
    const { deadline } = this;
    return this.services.conductor.startSlices(() => requireTime(deadline), isUrgent);
  }

  async admit(response: object, how: AdmitOptions = {}): Promise<Answer> {
    if (this.hooks === null) return this.#take(response, how);
    const complete = await this.hooks.complete(response, how.transaction);
    const followUps = [...(how.followUps ?? NONE), ...complete.followUps];
    return this.#take(complete.response, { ...how, followUps });
  }

  /** Makes the text of a whole response and takes its octets. */
  async #take(
    response: object,
    { createdIds = NONE, followUps = NONE, slices = this.startSlices() }: AdmitOptions,
  ): Promise<Answer> {
    this.release();
    const { request } = this;
    const triple = [this.method.name, response, this.#callId];
    const written = await stringifyInSlices(triple, slices, request.remainingOctets);
    if (written === null) tooLarge();
    const { pieces } = written;
    // With the comma.
    const length = written.octets + 1;
    const octets = length + (this.#showsCreatedIds ? mapOctets(createdIds) : 0);
    if (octets > request.remainingOctets) tooLarge();
    if (octets > LARGE && request.room?.take(octets) === false) noRoom();
    request.remainingOctets -= octets;
    const [first = '', second] = pieces;
    this.#answer = {
      response,
      text: second === undefined ? first : pieces,
      octets,
      createdIds,
      followUps,
    };
    return this.#answer;
  }

  /** Gives back the octets of a response that won't be sent after all. */
  release(): void {
    const octets = this.#answer?.octets ?? 0;
    this.request.remainingOctets += octets;
    if (octets > LARGE) this.request.room?.giveBack(octets);
    this.#answer = null;
  }

  otherAccount(accountId: string): AccountAccess | undefined {
    return this.request.principal.accounts.get(accountId);
  }
}

/** Returns octets of an item of `methodResponses`, with the comma. */
export function separated(text: string): number {
  return Buffer.byteLength(text) + 1;
}

/** Returns octets of entries of the response's `createdIds`. */
export function mapOctets(createdIds: CreatedIds): number {
  let octets = 0;
  // Both are Ids: ASCII without anything to escape. Four quotes, a colon, a comma.
  for (const [creationId, id] of createdIds) octets += creationId.length + id.length + 6;
  return octets;
}

function noRoom(): never {
  const why = 'The server holds too many large responses that wait for their readers. Try again.';
  throw new MethodError('serverUnavailable', why);
}

function tooLarge(): never {
  throw new MethodError('requestTooLarge', 'The response would be larger than this server sends.');
}
