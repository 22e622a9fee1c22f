import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('\r\n0\r\n\r\n');
const NOTHING = Buffer.alloc(0);
/** The most octets of one read. */
const READ = 65_536;

export interface Answer {
  readonly status: number;
  /** Empty unless it was asked for, or the status is none of success. */
  readonly body: Buffer;
  /** Of all that came, its head too. */
  readonly octets: number;
}

/**
 * One keep-alive connection that sends requests as they are given, one at a time. It reads only as
 * much of an answer as it takes to find its end, into one buffer for all of them. A client that
 * does more would be measured itself, since the servers answer faster than a client in JavaScript
 * parses.
 */
export class Connection {
  readonly #socket: Socket;
  #done: ((answer: Answer) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  /** Copies: of a head that is not whole yet, then of what is kept of the answer. */
  #kept: Buffer[] = [];
  #keeps = false;
  #received = 0;
  /** Octets of the whole answer; null before its head is read, -1 where it comes in chunks. */
  #length: number | null = null;
  #headLength = 0;
  #status = 0;

  private constructor(port: number, opened: (error: Error | null) => void) {
    const buffer = Buffer.allocUnsafe(READ);
    const take = (count: number): boolean => {
      this.#take(buffer.subarray(0, count));
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback: take } });
    this.#socket.setNoDelay(true);
    this.#socket.once('connect', () => opened(null));
    this.#socket.on('error', (error) => {
      opened(error);
      this.#fail(error);
    });
    this.#socket.on('close', () => this.#fail(new Error('The server closed a connection.')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(port, (error) => {
        if (error === null) resolve(connection);
        else reject(error);
      });
    });
  }

  send(request: Buffer | string, keepsBody = true): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#keeps = keepsBody;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  /** The octets are there during the call only. */
  #take(octets: Buffer): void {
    this.#received += octets.length;
    const headWasRead = this.#length !== null;
    if (!headWasRead) this.#readHead(octets);
    if (this.#length === null) return;
    if (headWasRead && this.#keeps) this.#kept.push(Buffer.from(octets));
    if (this.#length === -1 ? this.#chunksEnded() : this.#received >= this.#length) this.#finish();
  }

  #readHead(octets: Buffer): void {
    const all = this.#kept.length === 0 ? octets : Buffer.concat([...this.#kept, octets]);
    const end = all.indexOf(HEAD_END);
    if (end === -1) {
      this.#kept.push(Buffer.from(octets));
      return;
    }
    const head = all.toString('latin1', 0, end);
    this.#headLength = end + HEAD_END.length;
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#length = length === undefined ? -1 : this.#headLength + Number(length);
    // The end of chunks is found in what was kept; what failed is told.
    this.#keeps ||= this.#length === -1 || this.#status < 200 || this.#status > 299;
    this.#kept = this.#keeps ? [Buffer.from(all)] : [];
  }

  /** JSON has no line break inside a text, so what ends the last chunk is nowhere else. */
  #chunksEnded(): boolean {
    const last = this.#kept.at(-1);
    if (last === undefined) return false;
    const tail = last.length >= CHUNKS_END.length ? last : Buffer.concat(this.#kept.slice(-8));
    return tail.subarray(-CHUNKS_END.length).equals(CHUNKS_END);
  }

  #finish(): void {
    const all = this.#keeps ? Buffer.concat(this.#kept).subarray(this.#headLength) : NOTHING;
    const body = this.#length === -1 ? unchunked(all) : all;
    const answer = { status: this.#status, body, octets: this.#received };
    const done = this.#done;
    this.#kept = [];
    this.#received = 0;
    this.#length = null;
    this.#done = null;
    this.#failed = null;
    done?.(answer);
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
