import { IncomingMessage } from 'node:http';

const OFFERED = Symbol('an upgrade was offered');

/**
 * A request that is an upgrade only where a WebSocket is asked for. Some clients offer others (`Upgrade: h2c`) with
 * plain requests, and a server may ignore those (RFC 9110 7.8); Node would hand them all to the `upgrade` event.
 */
export class EdgeRequest extends IncomingMessage {
  [OFFERED]?: boolean | null;
}

// The parser assigns `upgrade` to every request and asks for it when the headers are in.
Object.defineProperty(EdgeRequest.prototype, 'upgrade', {
  configurable: true,
  get(this: EdgeRequest): boolean {
    return this[OFFERED] === true && this.headers.upgrade?.trim().toLowerCase() === 'websocket';
  },
  set(this: EdgeRequest, offered: boolean | null) {
    this[OFFERED] = offered;
  },
});
