import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
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
export class Pipeline {
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

  /**
   * Gives the connection of a declined upgrade back to its server, once the requests in front of it
   * are answered. For versions of Node without `shouldUpgradeCallback` (20 among them), which hand
   * every upgrade over; others ask first. `octets` are those that came behind the request's head.
   */
  handBack(
    server: Server,
    { req, socket, octets: head }: { req: IncomingMessage; socket: Socket; octets: Buffer },
  ): void {
    // Node has taken its own listeners off, but an answer on its way needs both events.
    const onError = (): void => void socket.destroy();
    const onDrain = (): void => void this.current(socket)?.emit('drain');
    socket.on('error', onError).on('drain', onDrain);
    const step = (): void => {
      socket.off('error', onError).off('drain', onDrain);
      socket.unshift(Buffer.concat([writeHeadAgain(req), head]));
      // The answer in front may have set the time that an idle connection has.
      socket.setTimeout(0);
      // Node documents this event as the way to give a server a connection.
      server.emit('connection', socket);
    };
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

/**
 * Returns the head as it came, but with nothing in `Connection` that would make an upgrade of it.
 */
function writeHeadAgain({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = name.toLowerCase() === 'connection' ? 'keep-alive' : rawHeaders[at + 1];
    lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
