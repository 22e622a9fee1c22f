import type { Server, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

interface Progress {
  /** Octets that had left for the system when it was looked at. */
  octets: number;
  /** `performance.now()` when the octets changed last, or nothing waited. */
  since: number;
}

/** How many looks make the time that a reader has. */
const LOOKS = 8;

/** Ends connections whose client takes nothing of its answers for so long. */
export class StalledReaders {
  readonly #limit: number;
  readonly #progress = new Map<Socket, Progress>();
  readonly #timer: NodeJS.Timeout;

  /** `limit` in ms. */
  constructor(server: Server, limit: number) {
    this.#limit = limit;
    server.on('connection', (socket: Socket) => {
      this.#progress.set(socket, { octets: 0, since: performance.now() });
      socket.on('close', () => this.#progress.delete(socket));
    });
    this.#timer = setInterval(() => this.#look(performance.now()), Math.max(1, limit / LOOKS));
    this.#timer.unref();
  }

  /** The connection has become something else (a WebSocket), with a rule of its own. */
  forget(socket: Socket): void {
    this.#progress.delete(socket);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#progress.clear();
  }

  #look(now: number): void {
    for (const [socket, progress] of this.#progress) {
      const waiting = socket.writableLength;
      // `bytesWritten` counts octets that still wait in memory too.
      const octets = socket.bytesWritten - waiting;
      if (waiting === 0 || octets !== progress.octets) {
        progress.octets = octets;
        progress.since = now;
      } else if (now - progress.since >= this.#limit) socket.destroy();
    }
  }
}
