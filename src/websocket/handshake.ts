import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../http/upgrade-target.js';

export const SUBPROTOCOL = 'jmap';
const VERSION = '13';
/** Base64 of 16 octets. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export function refusal(status: number, detail: string, headers: readonly string[] = []): Refusal {
  return { status, detail, headers };
}

/** What is wrong with an opening handshake (RFC 6455 4.2.1, RFC 8887 4.2); null where nothing is. */
export function refusalOf(req: IncomingMessage): Refusal | null {
  const { headers } = req;
  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 0) {
    return refusal(400, 'A WebSocket needs HTTP/1.1.');
  }
  if (headers['sec-websocket-version'] !== VERSION) {
    const offered = ['Sec-WebSocket-Version', VERSION, 'Upgrade', 'websocket'];
    return refusal(426, `This server speaks version ${VERSION} of WebSocket.`, offered);
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    return refusal(400, 'Sec-WebSocket-Key must be the base64 of 16 octets.');
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (offered.includes(SUBPROTOCOL)) return null;
  return refusal(400, 'Offer the subprotocol "jmap" (Sec-WebSocket-Protocol: jmap).');
}
