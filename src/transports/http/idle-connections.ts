import type { Server, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

interface Seen {
  /** Octets that had come, and those that had left for the system, when it was looked at. */
  received: number;
  taken: number;
  /** When something was different last, ms. */
  since: number;
}

export interface IdleTimes {
  /** How long a connection may be idle, ms; null where Node looks after that. */
  readonly keepAlive: number | null;
  /** How long an answer may wait for its reader, ms. */
  readonly stalledReader: number;
}

/** How many looks make the shorter of the times. */
const LOOKS = 8;

/**
 * Ends connections on which no request has come for so long, as Node does with `keepAliveTimeout`: by one timer that
 * looks at all of them, since to set and clear one behind each answer is a fortieth of a small request. And those whose
 * client takes nothing of an answer: long answers are watched one by one (StallWatch), but many short ones that nobody
 * reads fill a connection too.
 */
export class IdleConnections {
  readonly #times: IdleTimes;
  readonly #isAnswering: (socket: Socket) => boolean;
  readonly #seen = new Map<Socket, Seen>();
  readonly #timer: NodeJS.Timeout;

  /** `isAnswering` tells whether an answer is on its way on a connection. */
  constructor(server: Server, times: IdleTimes, isAnswering: (socket: Socket) => boolean) {
    this.#times = times;
    this.#isAnswering = isAnswering;
    server.on('connection', (socket: Socket) => {
      this.#seen.set(socket, { received: 0, taken: 0, since: performance.now() });
      socket.on('close', () => this.#seen.delete(socket));
    });
    const shortest = Math.min(times.keepAlive ?? times.stalledReader, times.stalledReader);
    this.#timer = setInterval(() => this.#look(performance.now()), Math.max(1, shortest / LOOKS));
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
    const { keepAlive, stalledReader } = this.#times;
    for (const [socket, seen] of this.#seen) {
      const received = socket.bytesRead;
      const waiting = socket.writableLength;
      const taken = socket.bytesWritten - waiting;
      const isBusy = waiting === 0 && this.#isAnswering(socket);
      if (isBusy || received !== seen.received || taken !== seen.taken) {
        seen.received = received;
        seen.taken = taken;
        seen.since = now;
        continue;
      }
      const limit = waiting > 0 ? stalledReader : keepAlive;
      if (limit !== null && now - seen.since >= limit) socket.destroy();
    }
  }
}
