import type { WebSocket } from 'ws';
import type { Principal } from '../../accounts/principal.js';
import { RequestError, UnavailableError } from '../../protocol/errors.js';
import { tooManyRequests } from '../limits.js';
import type { Shared } from '../shared.js';
import { MessageError, type RequestMessage, requestErrorText, runProblem } from './messages.js';
import type { Outgoing } from './outgoing.js';

/** RFC 6455 7.4.1, as RFC 8887 uses it. */
export const POLICY = 1008;
export const NOT_VALID = 'The token is no longer valid.';

export interface AnswersOptions {
  readonly shared: Shared;
  readonly socket: WebSocket;
  readonly principal: Principal;
  /** Log and fault reference of what happens on this connection. */
  readonly requestId: string;
}

/** Runs a connection's requests and sends what they answer (RFC 8887 4.3.2). */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #outgoing: Outgoing;
  readonly #user: string;
  /** Requests without an id are answered in order: each waits for the one before. */
  #inOrder: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();

  constructor(options: AnswersOptions, outgoing: Outgoing) {
    this.#options = options;
    this.#outgoing = outgoing;
    this.#user = options.principal.userId;
  }

  /** Resolves when what has no id is answered so far. */
  get inOrder(): Promise<void> {
    return this.#inOrder;
  }

  /** Whether a request runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when all that runs now is answered. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /**
   * Throws MessageError where the user runs too many at once. A slot is taken as the message comes in, so that what
   * waits its turn is bounded too. `over` ends the turn of a request that took long to read, null where it didn't.
   */
  accept(message: RequestMessage, octets: number, over: (() => void) | null): void {
    const { requests, budget, services } = this.#options.shared;
    if (!requests.take(this.#user)) {
      const problem = tooManyRequests(services.limits.maxConcurrentRequests);
      throw new MessageError(problem, message.id);
    }
    const held = budget.take(this.#user, octets) ? octets : 0;
    const run = (): Promise<void> => this.#run(message, over);
    const answered = message.id === null ? this.#inOrder.then(run) : run();
    if (message.id === null) this.#inOrder = answered;
    const done = answered.finally(() => {
      budget.release(this.#user, held);
      requests.release(this.#user);
      this.#running.delete(done);
    });
    this.#running.add(done);
  }

  /** In its place among the answers where it can't be told apart by an id. */
  refuse(error: MessageError): void {
    const text = requestErrorText(error.problem.toProblem(), error.requestId);
    const send = (): Promise<void> => this.#outgoing.send([text]);
    if (error.requestId === null) this.#inOrder = this.#inOrder.then(send);
    else void send();
  }

  /** Never rejects: whatever happens is an answer. */
  async #run(message: RequestMessage, over: (() => void) | null): Promise<void> {
    const answer = await this.#answer(message, over !== null);
    over?.();
    await this.#outgoing.send(answer);
  }

  async #answer(message: RequestMessage, isLong: boolean): Promise<readonly string[]> {
    const { shared, requestId } = this.#options;
    const first = {
      '@type': 'Response',
      ...(message.id === null ? {} : { requestId: message.id }),
    };
    try {
      const principal = await this.#currentPrincipal();
      return await shared.api.run(message.request, principal, isLong, first);
    } catch (error) {
      const known = runProblem(error);
      if (error instanceof UnavailableError) shared.services.unavailable?.(error);
      if (known !== null) return [requestErrorText(known, message.id)];
      shared.services.log.error({ requestId, err: error }, 'defect');
      const detail = `Something failed in the server; its log has the cause under ${requestId}.`;
      return [requestErrorText({ type: 'about:blank', status: 500, detail }, message.id)];
    }
  }

  /** As fresh as over HTTP: what a revoked token asks for is not run in the moment before its socket closes. */
  async #currentPrincipal(): Promise<Principal> {
    const { shared, socket, principal } = this.#options;
    const current = await shared.services.authenticator.refresh(principal.tokenId);
    if (current !== null) return current;
    socket.close(POLICY, NOT_VALID);
    throw new RequestError('notRequest', NOT_VALID, { status: 401 });
  }
}
