import type { IncomingMessage } from 'node:http';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { HttpError } from '../http/reply.js';
import type { Shared } from '../http/shared.js';
import type { Handshake, UpgradeTarget } from '../http/upgrade.js';
import { tooManyOpen } from '../protocol/limits.js';
import { Allowance } from '../runtime/budgets.js';
import { Connection } from './socket-connection.js';

const SUBPROTOCOL = 'jmap';
const VERSION = '13';
/** Base64 of 16 octets. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** RFC 8620 8.5: sockets that one user may have open. */
const MAX_SOCKETS = 32;
/**
 * Each part of a message takes some 200 octets more, so their number is bounded (else 1008). A
 * message may have a fragment for each `FRAGMENT` octets, a packet for each `PACKET`, and at least
 * `LEAST_PARTS`.
 */
const LEAST_PARTS = 1024;
const FRAGMENT = 4096;
const PACKET = 1024;
const EXTENSIONS = 'sec-websocket-extensions';
/** How long a peer may take for its part of the closing handshake, ms. */
const CLOSE_WAIT = 1000;

/** The WebSocket endpoint (RFC 8887), behind the handshake that HTTP has authenticated. */
export class WebSocketEndpoint implements UpgradeTarget {
  readonly #shared: Shared;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #slots = new Allowance({ share: MAX_SOCKETS });
  readonly #beats: NodeJS.Timeout;
  /** Lines for the handshake that ws answers now: ws does so before its call returns. */
  #headers: readonly string[] = [];
  #refused: Error | null = null;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#server = new WebSocketServer(serverOptions(shared));
    this.#server.on('headers', (lines) => lines.push(...this.#headers));
    // Without a listener ws would answer by itself, past the edge.
    this.#server.on('wsClientError', (error) => {
      this.#refused = error;
    });
    this.#beats = setInterval(() => {
      for (const connection of this.#connections) connection.beat();
    }, shared.timings.heartbeat);
    this.#beats.unref();
  }

  accept(handshake: Handshake): void {
    const { req, socket, principal } = handshake;
    checkHandshake(req);
    const user = principal.userId;
    if (!this.#slots.take(user)) throw tooManyOpen('maxWebSockets', MAX_SOCKETS);
    // The TCP connection counts: a handshake that ws refuses (a bad key) makes no WebSocket.
    socket.once('close', () => this.#slots.release(user));
    let error = this.#upgrade(handshake);
    if (error !== null && req.headers[EXTENSIONS] !== undefined) {
      // RFC 7692 5.1: an offer that can't be understood is declined, which refuses no connection.
      delete req.headers[EXTENSIONS];
      error = this.#upgrade(handshake);
    }
    if (error !== null) throw new HttpError(400, `${error.message}.`);
  }

  async close(): Promise<void> {
    clearInterval(this.#beats);
    const open = [...this.#connections];
    await Promise.all(open.map((connection) => connection.close()));
    // A peer that doesn't answer the close is cut off.
    const late = setTimeout(() => this.terminate(), CLOSE_WAIT);
    await Promise.all(open.map((connection) => connection.closed));
    clearTimeout(late);
  }

  terminate(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  /** Has ws answer a handshake; returns why it won't. */
  #upgrade({ req, socket, head, principal, requestId, headers }: Handshake): Error | null {
    const { metrics } = this.#shared;
    this.#headers = linesOf(['X-Request-Id', requestId, ...headers]);
    this.#refused = null;
    this.#server.handleUpgrade(req, socket, head, (ws: WebSocket) => {
      const options = { shared: this.#shared, socket: ws, tcp: socket, principal, requestId };
      const connection = new Connection(options);
      this.#connections.add(connection);
      metrics.opened('websocket');
      void connection.closed.then(() => {
        this.#connections.delete(connection);
        metrics.closed('websocket');
      });
    });
    return this.#refused;
  }
}

/** `headers`: names and values in turn. */
function linesOf(headers: readonly string[]): readonly string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
}

/** Throws where an opening handshake is none (RFC 6455 4.2.1, RFC 8887 4.2). */
function checkHandshake({ headers, httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.0') throw new HttpError(400, 'A WebSocket needs HTTP/1.1.');
  if (headers['sec-websocket-version'] !== VERSION) {
    const offered = ['Sec-WebSocket-Version', VERSION, 'Upgrade', 'websocket'];
    throw new HttpError(426, `This server speaks version ${VERSION} of WebSocket.`, offered);
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    throw new HttpError(400, 'Sec-WebSocket-Key must be the base64 of 16 octets.');
  }
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes(SUBPROTOCOL)) {
    throw new HttpError(400, 'Offer the subprotocol "jmap" (Sec-WebSocket-Protocol: jmap).');
  }
}

function serverOptions({ limits, websocketCompression }: Shared): ServerOptions {
  // The server refuses a message beyond maxSizeRequest with a RequestError (RFC 8887 4.3.4). One
  // far beyond ends the connection (1009): the server would have to hold it whole.
  const maxPayload = 2 * limits.maxSizeRequest;
  return {
    noServer: true,
    clientTracking: false,
    // No context outlives its message (RFC 7692 7.1.1). Outgoing decides what is compressed: ws
    // would judge a message by its first fragment.
    perMessageDeflate: websocketCompression
      ? { serverNoContextTakeover: true, clientNoContextTakeover: true, threshold: 0 }
      : false,
    maxPayload,
    maxFragments: Math.max(LEAST_PARTS, Math.ceil(maxPayload / FRAGMENT)),
    maxBufferedChunks: Math.max(4 * LEAST_PARTS, Math.ceil(maxPayload / PACKET)),
    handleProtocols: () => SUBPROTOCOL,
  };
}
