import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../accounts/principal.js';

/** What takes a connection over once HTTP has authenticated its opening handshake: src/transports/websocket. */
export interface UpgradeTarget {
  /** Why a handshake can't be accepted, in words for the client; null where it can (RFC 8887 4.2). */
  refusal(req: IncomingMessage): string | null;
  /** Opens a WebSocket for a principal. Throws RequestError where its user has too many. */
  accept(upgrade: {
    readonly req: IncomingMessage;
    readonly socket: Duplex;
    readonly head: Buffer;
    readonly principal: Principal;
    readonly requestId: string;
  }): void;
  /** Lets running requests be answered, then closes every socket with 1001; resolves when they are closed. */
  close(): Promise<void>;
  /** Cuts what is still open. */
  terminate(): void;
}
