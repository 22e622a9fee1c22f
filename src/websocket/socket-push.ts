import type { WebSocket } from 'ws';
import type { Principal } from '../accounts/principal.js';
import { problemOf, serverFault } from '../http/reply.js';
import type { Shared } from '../http/shared.js';
import type { Channel } from '../push/channel.js';
import {
  MessageError,
  notRequest,
  type PushDisableMessage,
  type PushEnableMessage,
  requestErrorText,
} from './messages.js';
import type { Outgoing } from './outgoing.js';

export interface SocketPushOptions {
  readonly shared: Shared;
  readonly socket: WebSocket;
  readonly principal: Principal;
  /** Log and fault reference of what happens on this connection. */
  readonly requestId: string;
}

/** Tells the peer of a socket of state changes, from when it asks for them (RFC 8887 4.3.5). */
export class SocketPush {
  readonly #options: SocketPushOptions;
  readonly #outgoing: Outgoing;
  #channel: Channel | null = null;
  #isSending = false;
  #isClosed = false;

  constructor(options: SocketPushOptions, outgoing: Outgoing) {
    this.#options = options;
    this.#outgoing = outgoing;
  }

  /**
   * Takes a message. Where it can't be done, a RequestError says so, and the setting stays as it
   * was. Rejects with MessageError where the message is wrong.
   */
  async take(message: PushEnableMessage | PushDisableMessage): Promise<void> {
    if (message.kind === 'pushDisable') {
      this.#replace(null);
      return;
    }
    try {
      await this.#enable(message);
    } catch (error) {
      if (error instanceof MessageError) throw error;
      const { shared, requestId } = this.#options;
      const known = problemOf(error);
      if (known === null) shared.log.error({ requestId, err: error }, 'defect');
      const { body } = known ?? serverFault(requestId);
      void this.#outgoing.send([requestErrorText(body, message.id)]);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#replace(null);
  }

  async #enable({ id, types, pushState }: PushEnableMessage): Promise<void> {
    const { shared, principal } = this.#options;
    const unknown = types?.find((name) => !shared.registry.stateTypes.has(name));
    if (unknown !== undefined) {
      const detail = `"dataTypes" must name data types; unknown: ${JSON.stringify(unknown)}.`;
      throw new MessageError(notRequest(detail), id);
    }
    const request = {
      kind: 'websocket' as const,
      principal: (await shared.authenticator.refresh(principal.credential)) ?? principal,
      types: types === null ? null : new Set(types),
      lastId: pushState,
    };
    // The socket's own look at the token closes it.
    const listener = { wake: () => this.#forward(), ended: () => undefined };
    this.#replace(await shared.push.open(request, listener));
    this.#forward();
  }

  #replace(channel: Channel | null): void {
    this.#channel?.close();
    this.#channel = channel;
    if (this.#isClosed && channel !== null) this.#replace(null);
  }

  /**
   * Sends news when all that was sent before is handed over: a slow reader gets the newest states
   * alone. One message at a time waits for that.
   */
  #forward(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#send();
  }

  async #send(): Promise<void> {
    for (;;) {
      await this.#outgoing.idle();
      const news = this.#channel?.take() ?? null;
      if (news === null) {
        this.#isSending = false;
        return;
      }
      const { changed, id } = news;
      const pushState = JSON.stringify(id);
      await this.#outgoing.send([
        `{"@type":"StateChange","changed":${changed},"pushState":${pushState}}`,
      ]);
    }
  }
}
