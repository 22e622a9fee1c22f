import { constants, deflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { CORE, type Harness, head, RawConnection, TOKEN, until } from '../http/harness.js';

export type Message = Record<string, unknown>;

/** A JMAP WebSocket with what came over it. */
export class Client {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  code: number | null = null;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data)) as Message));
    socket.on('close', (code) => {
      this.code = code;
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Resolves to the messages once there are so many. */
  async received(count: number): Promise<Message[]> {
    await until(() => this.messages.length >= count);
    return this.messages.splice(0, count);
  }

  async closed(): Promise<number | null> {
    await until(() => this.code !== null);
    return this.code;
  }
}

export interface Handshake {
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  readonly compress?: ClientOptions['perMessageDeflate'];
}

/** An open socket, or the HTTP status that refused it. */
export function handshake(harness: Harness, options: Handshake = {}): Promise<Client | number> {
  const path = options.path ?? '/jmap/ws';
  const url = `${harness.url.replace('http', 'ws')}${path}${options.query ?? ''}`;
  const headers = options.headers ?? { authorization: `Bearer ${TOKEN}` };
  const socket = new WebSocket(url, [...(options.protocols ?? ['jmap'])], {
    headers,
    perMessageDeflate: options.compress ?? false,
  });
  const client = new Client(socket);
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(client));
    socket.on('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
      socket.terminate();
    });
    socket.on('error', reject);
  });
}

export async function open(harness: Harness, options: Handshake = {}): Promise<Client> {
  const client = await handshake(harness, options);
  if (typeof client === 'number') throw new Error(`Refused with ${client}.`);
  return client;
}

export function request(
  id: string | null,
  calls: readonly unknown[] = [['Core/echo', { id }, 'c']],
): Message {
  return { '@type': 'Request', ...(id === null ? {} : { id }), using: [CORE], methodCalls: calls };
}

export function requestError(type: string, requestId: string | null, more: Message = {}): Message {
  return {
    '@type': 'RequestError',
    requestId,
    type: `urn:ietf:params:jmap:error:${type}`,
    status: 400,
    detail: expect.any(String),
    ...more,
  };
}

/** Header lines of an opening handshake. */
export const UPGRADE: readonly string[] = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: jmap',
];

/**
 * A frame as a client may not send it, too (RFC 6455 5.2): masked with zeros, so that its payload
 * is as it is.
 */
export interface Frame {
  readonly opcode?: number;
  readonly fin?: boolean;
  readonly rsv?: number;
  readonly isMasked?: boolean;
}

export const TEXT = 1;
export const CONTINUATION = 0;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

/** A header line of an opening handshake. */
export const OFFER = 'Sec-WebSocket-Extensions: permessage-deflate';
/** The message is compressed (RFC 7692 6). */
export const RSV1 = 4;
/** The octets that a sender leaves out of it (RFC 7692 7.2.1). */
export const TAIL = Buffer.from([0, 0, 0xff, 0xff]);

/** A message's payload as RFC 7692 7.2.1 makes it. */
export function compressed(text: string | Buffer): Buffer {
  return deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
}

export function frame(payload: string | Buffer, how: Frame = {}): Buffer {
  const octets = Buffer.from(payload);
  const { opcode = TEXT, fin = true, rsv = 0, isMasked = true } = how;
  const mask = isMasked ? 0x80 : 0;
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  let length = [mask | octets.length];
  if (octets.length > 65_535) {
    const long = Buffer.alloc(8);
    long.writeUInt32BE(octets.length, 4);
    length = [mask | 127, ...long];
  } else if (octets.length > 125) {
    length = [mask | 126, octets.length >> 8, octets.length & 0xff];
  }
  return Buffer.concat([Buffer.from([first, ...length]), Buffer.alloc(isMasked ? 4 : 0), octets]);
}

/** A WebSocket without a WebSocket library: frames as they are. */
export class RawSocket {
  readonly tcp: RawConnection;
  #read = 0;

  private constructor(tcp: RawConnection) {
    this.tcp = tcp;
  }

  static async open(harness: Harness, lines: readonly string[] = []): Promise<RawSocket> {
    const tcp = new RawConnection(harness).write(head('/jmap/ws', [...UPGRADE, ...lines], 'GET'));
    const answer = await tcp.until(/\r\n\r\n/);
    if (!answer.startsWith('HTTP/1.1 101')) throw new Error(answer);
    const raw = new RawSocket(tcp);
    raw.#read = answer.indexOf('\r\n\r\n') + 4;
    return raw;
  }

  write(...frames: readonly Buffer[]): this {
    this.tcp.socket.write(Buffer.concat(frames));
    return this;
  }

  /** The next frame that the server sends; null where the connection ends before. */
  async next(): Promise<{ opcode: number; fin: boolean; rsv: number; payload: Buffer } | null> {
    for (;;) {
      const octets = Buffer.from(this.tcp.received.slice(this.#read), 'latin1');
      const parsed = parseFrame(octets);
      if (parsed !== null) {
        this.#read += parsed.size;
        return parsed;
      }
      if (this.tcp.socket.closed) return null;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /**
   * The code of the close frame that comes next, what comes before it left out; null where there is
   * none.
   */
  async closeCode(): Promise<number | null> {
    for (;;) {
      const next = await this.next();
      if (next === null) return null;
      if (next.opcode === CLOSE)
        return next.payload.length < 2 ? 1005 : next.payload.readUInt16BE();
    }
  }

  async message(): Promise<Message> {
    const next = await this.next();
    return JSON.parse(String(next?.payload)) as Message;
  }
}

function parseFrame(octets: Buffer) {
  if (octets.length < 2) return null;
  const [first = 0, second = 0] = octets;
  let length = second & 0x7f;
  let at = 2;
  if (length === 126) {
    if (octets.length < 4) return null;
    length = octets.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (octets.length < 10) return null;
    length = octets.readUInt32BE(6);
    at = 10;
  }
  if (octets.length < at + length) return null;
  const payload = octets.subarray(at, at + length);
  const fin = (first & 0x80) !== 0;
  return { opcode: first & 0x0f, fin, rsv: (first >> 4) & 7, payload, size: at + length };
}
