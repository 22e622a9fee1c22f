import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../accounts/principal.js';

/** Why a handshake can't be accepted. */
export interface Refusal {
  readonly status: number;
  /** In words for the client. */
  readonly detail: string;
  /** Further headers, names and values in turn. */
  readonly headers: readonly string[];
}

/** An opening handshake whose sender is known. */
export interface Handshake {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly principal: Principal;
  readonly requestId: string;
}

/** What takes a connection over once HTTP has authenticated its opening handshake: src/websocket. */
export interface UpgradeTarget {
  /** Null where a handshake can be accepted (RFC 6455 4.2.1, RFC 8887 4.2). */
  refusal(req: IncomingMessage): Refusal | null;
  /**
   * Opens a WebSocket for a principal; null where that is done. Throws RequestError where its user has too many.
   */
  accept(handshake: Handshake): Refusal | null;
  /** Lets running requests be answered, then closes every socket with 1001; resolves when they are closed. */
  close(): Promise<void>;
  /** Cuts what is still open. */
  terminate(): void;
}
