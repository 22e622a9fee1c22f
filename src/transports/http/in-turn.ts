import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type EdgeResponse, endsConnection } from './edge-response.js';

/** Requests that may wait on a connection for the answers in front of them. */
const MAX_WAITING = 64;

type Handle = (req: IncomingMessage, res: EdgeResponse) => void;

/** The requests of one connection. */
interface Line {
  /** The response that is on its way. */
  current: EdgeResponse | null;
  readonly waiting: (() => void)[];
}

/**
 * Begins the requests of a connection one after the other. Pipelined requests that change something
 * must not run side by side (RFC 9112 9.3.2). Node also never tells a response that still waits for
 * its connection that the connection has ended, so a request that began too early would never end.
 * A client that sends too many ahead is cut off.
 */
export class InTurn {
  readonly #handle: Handle;
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /**
   * Answers a request once the requests in front of it are answered. One that comes once the
   * connection has been ended behind an answer is not run (RFC 9112 9.6).
   */
  readonly answer: Handle = (req, res) => {
    if (!req.socket.writable) return;
    const line = this.#lineOf(req.socket);
    if (line.current === null) this.#begin(line, req, res);
    else this.#wait(line, req.socket, () => this.#begin(line, req, res));
  };

  /** Runs `step` once all requests so far are answered; never where the connection ends before. */
  afterAnswers(socket: Socket, step: () => void): void {
    const line = this.#lineOf(socket);
    if (line.current === null) step();
    else this.#wait(line, socket, step);
  }

  /** Returns the response that is on its way on a connection. */
  current(socket: Socket): EdgeResponse | null {
    return this.#lines.get(socket)?.current ?? null;
  }

  #lineOf(socket: Socket): Line {
    let line = this.#lines.get(socket);
    if (line === undefined) {
      line = { current: null, waiting: [] };
      this.#lines.set(socket, line);
    }
    return line;
  }

  #wait(line: Line, socket: Socket, step: () => void): void {
    if (line.waiting.length >= MAX_WAITING) socket.destroy();
    else line.waiting.push(step);
  }

  /** A response closes behind its last octet, or with its connection. */
  #begin(line: Line, req: IncomingMessage, res: EdgeResponse): void {
    line.current = res;
    res.on('close', () => this.#next(line, res));
    this.#handle(req, res);
  }

  /**
   * Behind an answer that ends its connection nothing more is written, so nothing is run. A server
   * that stops ends connections behind answers whose heads didn't say so.
   */
  #next(line: Line, res: EdgeResponse): void {
    line.current = null;
    if (res.req.socket.writable && !endsConnection(res)) line.waiting.shift()?.();
  }
}
