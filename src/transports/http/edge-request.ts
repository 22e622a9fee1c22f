import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const OFFERED = Symbol('an upgrade was offered');

/**
 * A request that is an upgrade only where a WebSocket is asked for. Some clients offer others (`Upgrade: h2c`) with
 * plain requests, and a server may ignore those (RFC 9110 7.8); Node would hand them all to the `upgrade` event.
 * So is one that was sent before the answer in front of it was out: its connection is still that answer's.
 */
export class EdgeRequest extends IncomingMessage {
  [OFFERED]?: boolean | null;
}

// The parser assigns `upgrade` to every request and asks for it when the headers are in.
Object.defineProperty(EdgeRequest.prototype, 'upgrade', {
  configurable: true,
  get(this: EdgeRequest): boolean {
    return (
      this[OFFERED] === true &&
      this.headers.upgrade?.trim().toLowerCase() === 'websocket' &&
      !isAnswering(this.socket)
    );
  },
  set(this: EdgeRequest, offered: boolean | null) {
    this[OFFERED] = offered;
  },
});

/** Node keeps the response that a connection is assigned to on the connection. */
function isAnswering(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return (socket._httpMessage ?? null) !== null;
}
