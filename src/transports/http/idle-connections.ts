import type { Server, Socket } from 'node:net';
import { isAnswering } from './answering.js';

interface Seen {
  /** Octets that had come when it was looked at. */
  octets: number;
  /** Looks since then at which nothing had come and nothing was being answered. */
  looks: number;
}

/** How many looks make the time that a connection may be idle. */
const LOOKS = 8;

/**
 * Ends connections on which no request has come for so long, as Node does with `keepAliveTimeout`: by one timer that
 * looks at all of them, since to set and clear one behind each answer is a fortieth of a small request.
 */
export class IdleConnections {
  readonly #seen = new Map<Socket, Seen>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Server, keepAlive: number) {
    server.on('connection', (socket: Socket) => {
      this.#seen.set(socket, { octets: 0, looks: 0 });
      socket.on('close', () => this.#seen.delete(socket));
    });
    this.#timer = setInterval(() => this.#look(), Math.max(1, keepAlive / LOOKS));
    this.#timer.unref();
  }

  /** It has become something else (a WebSocket), with a rule of its own. */
  forget(socket: Socket): void {
    this.#seen.delete(socket);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#seen.clear();
  }

  #look(): void {
    for (const [socket, seen] of this.#seen) {
      const { bytesRead } = socket;
      if (bytesRead !== seen.octets || isAnswering(socket)) {
        seen.octets = bytesRead;
        seen.looks = 0;
      } else {
        seen.looks += 1;
        // The first of them may have come right behind the last octet.
        if (seen.looks > LOOKS) socket.destroy();
      }
    }
  }
}
