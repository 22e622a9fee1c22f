import { connect, type Socket } from 'node:net';

/** An answer over HTTP; status 0: the connection was closed without one. */
export interface WireAnswer {
  readonly status: number;
  /** Lower-case names; of doubled ones the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The fault of the answer as HTTP. */
  readonly broken: string | null;
}

interface Waiting {
  readonly isHead: boolean;
  done(answer: WireAnswer): void;
}

const NOTHING = Buffer.alloc(0);
const PATIENCE = 60_000;

/**
 * A keep-alive connection that is told octets, whatever they are, and reads as many answers as it
 * was told of requests. A client of others would not send most of it. One that was closed is opened
 * again.
 */
export class Wire {
  readonly #port: number;
  #link: Link | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends parts, one a turn, and reads `answers` of them. */
  send(parts: readonly Buffer[], answers = 1, isHead = false): Promise<WireAnswer[]> {
    if (this.#link === null || !this.#link.isOpen) this.#link = new Link(this.#port);
    return this.#link.send(parts, answers, isHead);
  }

  /** Ends our side, as a client does that has no more to say. */
  half(): void {
    this.#link?.socket.end();
  }

  close(): void {
    this.#link?.socket.destroy();
    this.#link = null;
  }
}

class Link {
  readonly socket: Socket;
  #buffer: Buffer = NOTHING;
  readonly #waiting: Waiting[] = [];

  constructor(port: number) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket = socket;
    socket.setTimeout(PATIENCE, () => {
      this.#fail('no answer came for a minute');
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
      this.#read();
    });
    // The error matters less than that no answer comes.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#fail(this.#buffer.length === 0 ? null : 'the connection was closed within an answer');
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && !this.socket.readableEnded && !this.socket.writableEnded;
  }

  send(parts: readonly Buffer[], answers: number, isHead: boolean): Promise<WireAnswer[]> {
    const coming = Array.from(
      { length: answers },
      () => new Promise<WireAnswer>((done) => this.#waiting.push({ isHead, done })),
    );
    this.#write(parts, 0);
    return Promise.all(coming);
  }

  #write(parts: readonly Buffer[], from: number): void {
    const part = parts[from];
    if (part === undefined || this.socket.destroyed || this.socket.writableEnded) return;
    this.socket.write(part);
    if (from + 1 < parts.length) setImmediate(() => this.#write(parts, from + 1));
  }

  #fail(broken: string | null): void {
    for (const { done } of this.#waiting.splice(0)) {
      done({ status: 0, headers: new Map(), body: NOTHING, broken });
    }
  }

  #read(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const read = readAnswer(this.#buffer, first.isHead);
      if (read === null) return;
      this.#buffer = this.#buffer.subarray(read.octets);
      // 100 Continue comes before the answer.
      if (read.answer.status >= 100 && read.answer.status < 200) continue;
      this.#waiting.shift();
      first.done(read.answer);
      // A connection that the server closes behind its answer takes no further request.
      if (read.answer.headers.get('connection') === 'close') this.socket.end();
    }
  }
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** The first answer of what came, null where it isn't whole. */
export function readAnswer(
  octets: Buffer,
  isHead: boolean,
): { answer: WireAnswer; octets: number } | null {
  const end = octets.indexOf(HEAD_END);
  if (end === -1) return null;
  const [statusLine = '', ...lines] = octets.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const start = end + HEAD_END.length;
  const broken = status === 0 ? `the status line is ${JSON.stringify(statusLine)}` : null;
  const whole = (body: Buffer, to: number, wrong = broken) => ({
    answer: { status, headers, body, broken: wrong },
    octets: to,
  });
  if (isHead || status === 204 || status === 304 || status < 200) return whole(NOTHING, start);
  const length = headers.get('content-length');
  if (length !== undefined) {
    const to = start + Number(length);
    return octets.length < to ? null : whole(octets.subarray(start, to), to);
  }
  if (headers.get('transfer-encoding') !== 'chunked') {
    // RFC 9112 6.3: it ends with the connection.
    const wrong = headers.get('connection') === 'close' ? broken : 'the answer has no length';
    return whole(octets.subarray(start), octets.length, wrong);
  }
  const parts: Buffer[] = [];
  for (let position = start; ; ) {
    const line = octets.indexOf('\r\n', position);
    if (line === -1) return null;
    const size = Number.parseInt(octets.toString('latin1', position, line), 16);
    const to = line + 2 + size + 2;
    if (octets.length < to) return null;
    if (size === 0) return whole(Buffer.concat(parts), to);
    parts.push(octets.subarray(line + 2, to - 2));
    position = to;
  }
}
