import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n');

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * One keep-alive connection that sends requests as they are given, one at a time. It reads of an
 * answer what it takes to find its end: a client that does more would be what is measured, since
 * the servers answer faster than a client in JavaScript parses.
 */
export class Connection {
  readonly #socket: Socket;
  #done: ((answer: Answer) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  #chunks: Buffer[] = [];
  #received = 0;
  /** Octets of the whole answer; null before its head is read, -1 where it comes in chunks. */
  #length: number | null = null;
  #headLength = 0;
  #status = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed a connection.')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  send(request: Buffer | string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#length === null) this.#readHead();
    if (this.#length === null) return;
    if (this.#length === -1 ? this.#chunksEnded(chunk) : this.#received >= this.#length)
      this.#finish();
  }

  #readHead(): void {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (all === undefined) return;
    const end = all.indexOf(HEAD_END);
    if (end === -1) return;
    const head = all.toString('latin1', 0, end);
    this.#headLength = end + HEAD_END.length;
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#length = length === undefined ? -1 : this.#headLength + Number(length);
  }

  /** JSON has no line break inside a text, so what ends the last chunk is nowhere else. */
  #chunksEnded(chunk: Buffer): boolean {
    const tail =
      chunk.length >= CHUNKS_END.length || this.#chunks.length === 1
        ? chunk
        : Buffer.concat(this.#chunks.slice(-8));
    return tail.subarray(-CHUNKS_END.length).equals(CHUNKS_END);
  }

  #finish(): void {
    const chunks = this.#chunks;
    const first = chunks.length === 1 ? chunks[0] : undefined;
    const chunked = this.#length === -1;
    const headLength = this.#headLength;
    const status = this.#status;
    const done = this.#done;
    this.#chunks = [];
    this.#received = 0;
    this.#length = null;
    this.#done = null;
    this.#failed = null;
    done?.({
      status,
      // Put together only for whoever looks at it.
      get body() {
        const all = (first ?? Buffer.concat(chunks)).subarray(headLength);
        return chunked ? unchunked(all) : all;
      },
    });
  }

  #fail(error: Error): void {
    const failed = this.#failed;
    this.#done = null;
    this.#failed = null;
    failed?.(error);
  }
}

function unchunked(all: Buffer): Buffer {
  const parts: Buffer[] = [];
  let position = 0;
  while (position < all.length) {
    const lineEnd = all.indexOf('\r\n', position);
    const size = Number.parseInt(all.toString('latin1', position, lineEnd), 16);
    if (!(size > 0)) break;
    parts.push(all.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
