import type { WebSocket } from 'ws';
import type { Principal } from '../accounts/principal.js';
import { problemOf, serverFault } from '../http/reply.js';
import type { Shared } from '../http/shared.js';
import { RequestError, UnavailableError } from '../protocol/errors.js';
import { tooManyRequests } from '../protocol/limits.js';
import type { AnswerRoom } from '../runtime/budgets.js';
import { Serial } from '../runtime/serial.js';
import { type MessageError, type RequestMessage, requestErrorText } from './messages.js';
import type { Outgoing } from './outgoing.js';

/** RFC 6455 7.4.1, as RFC 8887 uses it. */
export const POLICY = 1008;
/** Messages that may wait for earlier answers, besides those that the server has read already. */
const MOST_WAITING = 8;
export const NOT_VALID = 'The token is no longer valid.';

export interface AnswersOptions {
  readonly shared: Shared;
  readonly socket: WebSocket;
  readonly principal: Principal;
  /** Log and fault reference of what happens on this connection. */
  readonly requestId: string;
}

/** The slot and the octets that a request holds since it was read. */
export interface HeldRequest {
  /** Gives the slot of a long one back: its answer is made. */
  readonly releaseSlot: () => void;
  /** Gives its octets back: its answer is sent, until when its values are in memory. */
  readonly releaseOctets: () => void;
}

/** Runs a connection's requests and sends what they answer (RFC 8887 4.3.2). */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #outgoing: Outgoing;
  readonly #user: string;
  /** Requests without an id are answered in order: each waits for the one before. */
  readonly #inOrder = new Serial();
  #waiting = 0;
  /** Has the socket read on. */
  #goOn: (() => void) | null = null;
  readonly #running = new Set<Promise<void>>();

  constructor(options: AnswersOptions, outgoing: Outgoing) {
    this.#options = options;
    this.#outgoing = outgoing;
    this.#user = options.principal.userId;
  }

  /** Resolves when the requests without an id are answered that have come so far. */
  inOrder(): Promise<void> {
    return this.#inOrder.idle();
  }

  /** Resolves when all that runs now is answered. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /**
   * Runs a request that has an id at once. One without an id waits until those before it are
   * answered, and takes none of its user's slots meanwhile, like a pipelined one over HTTP.
   */
  accept(
    message: RequestMessage,
    isLong: boolean,
    { releaseSlot, releaseOctets }: HeldRequest,
  ): void {
    const run = (): Promise<void> => this.#run(message, isLong, releaseSlot).finally(releaseOctets);
    this.#follow(message.id === null ? this.#afterOthers(run) : run());
  }

  /** In its place among the answers where it can't be told apart by an id. */
  refuse(error: MessageError): void {
    const text = requestErrorText(error.problem.toProblem(), error.requestId);
    const send = (): Promise<void> => this.#outgoing.send([text]);
    this.#follow(error.requestId === null ? this.#afterOthers(send) : send());
  }

  #follow(answered: Promise<void>): void {
    const done = answered.finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Runs a step after those before it. Stops reading where too many wait: that bounds them. */
  async #afterOthers(step: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    if (this.#waiting > MOST_WAITING) this.#goOn ??= this.#outgoing.stopReading();
    await this.#inOrder.run(step);
    this.#waiting -= 1;
    if (this.#waiting > MOST_WAITING) return;
    this.#goOn?.();
    this.#goOn = null;
  }

  /** Never rejects: whatever happens is an answer. */
  async #run(message: RequestMessage, isLong: boolean, releaseSlot: () => void): Promise<void> {
    const { answers, limits, requests } = this.#options.shared;
    if (!requests.take(this.#user)) {
      releaseSlot();
      const problem = tooManyRequests(limits.maxConcurrentRequests);
      await this.#outgoing.send([requestErrorText(problem.toProblem(), message.id)]);
      return;
    }
    const room = answers.begin(this.#user);
    try {
      const answer = await this.#answer(message, isLong, room).finally(releaseSlot);
      await this.#outgoing.send(answer, room);
    } finally {
      room.end();
      requests.release(this.#user);
    }
  }

  async #answer(
    message: RequestMessage,
    isLong: boolean,
    room: AnswerRoom,
  ): Promise<readonly string[]> {
    const { shared, requestId, socket } = this.#options;
    const first = {
      '@type': 'Response',
      ...(message.id === null ? {} : { requestId: message.id }),
    };
    try {
      const principal = await this.#currentPrincipal();
      const isGone = (): boolean => socket.readyState === socket.CLOSED;
      return await shared.api.answer(message.request, principal, { isLong, isGone, room }, first);
    } catch (error) {
      if (error instanceof UnavailableError) shared.unavailable?.(error);
      const known = problemOf(error);
      if (known === null) shared.log.error({ requestId, err: error }, 'defect');
      const { body } = known ?? serverFault(requestId);
      return [requestErrorText(body, message.id)];
    }
  }

  /** Looks the token up as HTTP does: a revoked one runs nothing before its socket closes. */
  async #currentPrincipal(): Promise<Principal> {
    const { shared, socket, principal } = this.#options;
    const current = await shared.authenticator.refresh(principal.credential);
    if (current !== null) return current;
    socket.close(POLICY, NOT_VALID);
    throw new RequestError('notRequest', NOT_VALID, { status: 401 });
  }
}
