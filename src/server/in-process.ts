import { createAuthenticator, createToken } from '../accounts/index.js';
import type { Principal } from '../accounts/principal.js';
import type { Services } from '../methods/context.js';
import { Api } from '../methods/dispatch.js';
import { findCapabilityMode } from '../protocol/access-modes.js';
import { createIdGenerator } from '../protocol/ids.js';
import { parseIJson } from '../protocol/ijson.js';
import type { JsonObject } from '../protocol/json.js';
import { Sessions } from '../protocol/session.js';
import {
  closeAll,
  createDispatcher,
  type Engine,
  EXPLAIN,
  type Opened,
  reachOf,
  startTasks,
} from './open-engine.js';
import { ownerEntry, runtimeMembers } from './session-members.js';

/** One of a response's triples: the method's name, its arguments, and the call's id. */
export type Invocation = readonly [name: string, args: JsonObject, callId: string];

/** A server without transports: the engine, and requests as any user. */
export class InProcessServer {
  readonly engine: Engine;
  readonly #opened: Opened;
  readonly #api: Api;
  readonly #services: Services;
  readonly #authenticator: ReturnType<typeof createAuthenticator>;

  constructor(engine: Engine, opened: Opened) {
    this.engine = engine;
    this.#opened = opened;
    const { config, log, registry, storage } = engine;
    const { limits } = config;
    const tellDefect = (err: unknown, reference: string): void =>
      log.error({ reference, err }, 'defect');
    const sessions = new Sessions({
      capabilities: registry.capabilities.values(),
      runtime: runtimeMembers({ ...engine, limits }),
      entriesOf: ownerEntry,
      baseUrl: null,
    });
    const authenticator = createAuthenticator(storage.principals, reachOf(engine));
    this.#authenticator = authenticator;
    const ids = createIdGenerator();
    const parts = { ids, authenticator, sessions, opened, tellDefect };
    const { dispatcher } = createDispatcher(engine, parts);
    this.#services = dispatcher.services;
    this.#api = new Api({
      registry,
      dispatcher,
      sessions,
      metrics: { methodCall: () => undefined, methodError: () => undefined },
      maxCallsInRequest: limits.maxCallsInRequest,
    });
  }

  /** Starts the work that hooks leave to the server; `close` ends it. */
  startTasks(): void {
    startTasks(this.engine, this.#services, this.#opened);
  }

  /** Returns who a user is, by a token that is made for the purpose. */
  async principalOf(user: string): Promise<Principal> {
    const { prisma } = this.engine.storage;
    const token = await createToken(prisma, createIdGenerator(), { user });
    const principal = await this.#authenticator.authenticate(token);
    if (principal === null) throw new Error(`The user ${user} has no access.`);
    return principal;
  }

  /** Answers method calls as a server answers their request. Rejects with RequestError. */
  async request(
    principal: Principal,
    methodCalls: readonly (readonly [string, object, string])[],
    options: {
      /** All capabilities in reach where not given. */
      readonly using?: readonly string[] | undefined;
      readonly createdIds?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<readonly Invocation[]> {
    const { using = this.#capabilities(principal), createdIds } = options;
    // As text: what can't be sent can't be asked here either.
    const body = Buffer.from(JSON.stringify({ using, createdIds, methodCalls }));
    const pieces = await this.#api.answer(parseIJson(body), principal, {
      isLong: false,
      isGone: () => false,
    });
    return (JSON.parse(pieces.join('')) as { methodResponses: Invocation[] }).methodResponses;
  }

  /** Closes all that was opened. */
  close(): Promise<void> {
    return closeAll(this.#opened);
  }

  #capabilities(principal: Principal): readonly string[] {
    return [...this.engine.registry.capabilities.values()]
      .filter((one) => one.urn !== EXPLAIN && findCapabilityMode(principal, one) !== null)
      .map(({ urn }) => urn);
  }
}
