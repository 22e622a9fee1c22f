import { connect, type Socket } from 'node:net';
import { deflateRawSync } from 'node:zlib';

const HEAD_END = '\r\n\r\n';
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
/** Where RFC 7692 6 marks a compressed message. */
const COMPRESSED = 0x40;

export interface Opening {
  readonly port: number;
  readonly token: string;
  readonly isCompressed: boolean;
}

/**
 * A WebSocket that takes no more memory than its socket. A client of a library keeps its
 * compressor, some 300 kB, and a thousand of them would leave the server no room.
 */
export class FrameSocket {
  readonly #socket: Socket;
  /** Of a frame's head, until it is whole. */
  #head: Buffer = Buffer.alloc(0);
  /** Octets of a frame's payload that are still to come. */
  #missing = 0;
  #isLast = false;
  #answered: ((error: Error | null) => void) | null = null;

  /** `octets` came behind the handshake. */
  private constructor(socket: Socket, octets: Buffer) {
    this.#socket = socket;
    socket.on('data', (octets) => this.#take(octets));
    socket.on('close', () => this.#end(new Error('The server closed a WebSocket.')));
    this.#take(octets);
  }

  static open({ port, token, isCompressed }: Opening): Promise<FrameSocket> {
    const lines = [
      'GET /jmap/ws HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: jmap',
      `Authorization: Bearer ${token}`,
      ...(isCompressed ? ['Sec-WebSocket-Extensions: permessage-deflate'] : []),
    ];
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.write(`${lines.join('\r\n')}${HEAD_END}`);
    return new Promise((resolve, reject) => {
      let text = '';
      const read = (octets: Buffer): void => {
        text += octets.toString('latin1');
        const end = text.indexOf(HEAD_END) + HEAD_END.length;
        if (end < HEAD_END.length) return;
        socket.off('data', read).off('error', reject).on('error', ignore);
        const isAgreed = /^sec-websocket-extensions: permessage-deflate/im.test(text);
        if (text.startsWith('HTTP/1.1 101') && isAgreed === isCompressed)
          resolve(new FrameSocket(socket, Buffer.from(text.slice(end), 'latin1')));
        else reject(new Error(`A handshake was answered:\n${text}`));
      };
      socket.on('data', read).once('error', reject);
    });
  }

  /** Resolves when the answer has come, whole. */
  send(frame: Buffer): Promise<void> {
    this.#socket.write(frame);
    return new Promise((resolve, reject) => {
      this.#answered = (error) => (error === null ? resolve() : reject(error));
    });
  }

  #take(octets: Buffer): void {
    let rest = octets;
    while (rest.length > 0) {
      if (this.#missing === 0) {
        if (!this.#readHead(rest)) return;
        rest = this.#head;
        this.#head = Buffer.alloc(0);
      }
      const taken = Math.min(rest.length, this.#missing);
      this.#missing -= taken;
      rest = rest.subarray(taken);
      if (this.#missing > 0) return;
      if (this.#isLast) this.#end(null);
      this.#isLast = false;
    }
  }

  /** The octets behind the head go where the head was. False: more of it must come. */
  #readHead(octets: Buffer): boolean {
    const all = Buffer.concat([this.#head, octets]);
    this.#head = all;
    const [first = 0, second = 0] = all;
    const size = second === 127 ? 10 : second === 126 ? 4 : 2;
    if (all.length < size) return false;
    if (size === 10) this.#missing = all.readUInt32BE(6);
    else this.#missing = size === 4 ? all.readUInt16BE(2) : second;
    const opcode = first & 0x0f;
    if (opcode === CLOSE) {
      const told = JSON.stringify(all.toString('latin1', size));
      this.#end(new Error(`The server closes a WebSocket: ${told}.`));
    }
    if (opcode === PING) this.#socket.write(frameOf(Buffer.alloc(0), PONG));
    this.#isLast = opcode <= TEXT && (first & 0x80) !== 0;
    this.#head = all.subarray(size);
    return true;
  }

  #end(error: Error | null): void {
    const answered = this.#answered;
    this.#answered = null;
    answered?.(error);
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }
}

/** A failure ends the socket, and whoever waits for an answer is told of that. */
function ignore(): void {
  // 'close' follows.
}

/** A message in one frame. */
export function messageFrame(text: string, isCompressed: boolean): Buffer {
  if (!isCompressed) return frameOf(Buffer.from(text), TEXT);
  const deflated = Buffer.concat([deflateRawSync(text), Buffer.alloc(1)]);
  return frameOf(deflated, TEXT | COMPRESSED);
}

/** Masked with zeros, which leave it as it is (RFC 6455 5.3). */
function frameOf(payload: Buffer, first: number): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length > 65_535 ? 14 : length > 125 ? 8 : 6);
  head[0] = 0x80 | first;
  head[1] = 0x80 | (length > 65_535 ? 127 : length > 125 ? 126 : length);
  if (length > 65_535) head.writeUInt32BE(length, 6);
  else if (length > 125) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}
