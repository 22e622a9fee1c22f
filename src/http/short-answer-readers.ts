import type { Server, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

interface Seen {
  /** Octets that had left for the system when it was looked at. */
  taken: number;
  /** When something was different last, ms. */
  since: number;
}

/** How many looks make the time that a reader has. */
const LOOKS = 8;

/**
 * Ends connections whose client takes nothing of its answers for so long. Long answers are watched
 * one by one (StallWatch), but many short ones that nobody reads fill a connection too.
 */
export class ShortAnswerReaders {
  readonly #limit: number;
  readonly #seen = new Map<Socket, Seen>();
  readonly #timer: NodeJS.Timeout;

  /** `limit` in ms. */
  constructor(server: Server, limit: number) {
    this.#limit = limit;
    server.on('connection', (socket: Socket) => {
      this.#seen.set(socket, { taken: 0, since: performance.now() });
      socket.on('close', () => this.#seen.delete(socket));
    });
    this.#timer = setInterval(() => this.#look(performance.now()), Math.max(1, limit / LOOKS));
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

  #look(now: number): void {
    for (const [socket, seen] of this.#seen) {
      const waiting = socket.writableLength;
      const taken = socket.bytesWritten - waiting;
      if (waiting === 0 || taken !== seen.taken) {
        seen.taken = taken;
        seen.since = now;
      } else if (now - seen.since >= this.#limit) socket.destroy();
    }
  }
}
