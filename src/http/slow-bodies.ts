import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { EdgeResponse } from './edge-response.js';
import { HttpError, sendProblem } from './reply.js';
import type { Timings } from './services.js';

/** A body that is being read. */
export interface WatchedBody {
  readonly req: IncomingMessage;
  readonly res: EdgeResponse;
  readonly socket: Socket;
  /** Octets that the socket had read when the window began. */
  mark: number;
  windowStart: number;
}

/**
 * Refuses bodies that arrive too slowly. One timer looks at all of them: a timer of its own for
 * each request would cost more than the request.
 */
export class SlowBodies {
  readonly #timings: Timings;
  readonly #watched = new Set<WatchedBody>();
  readonly #timer: NodeJS.Timeout;

  constructor(timings: Timings) {
    this.#timings = timings;
    const interval = Math.min(1000, timings.bodyWindow / 2);
    this.#timer = setInterval(() => this.#look(performance.now()), interval);
    this.#timer.unref();
  }

  /** Watches a body, which must bring `bodyRate` octets a second in each window. */
  watch(req: IncomingMessage, res: EdgeResponse): WatchedBody {
    const { socket } = req;
    const windowStart = performance.now();
    const watched = { req, res, socket, mark: socket.bytesRead, windowStart };
    this.#watched.add(watched);
    return watched;
  }

  forget(watched: WatchedBody): void {
    this.#watched.delete(watched);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #look(now: number): void {
    for (const watched of this.#watched) this.#judge(watched, now);
  }

  #judge(watched: WatchedBody, now: number): void {
    const { bodyWindow, bodyRate } = this.#timings;
    if (now - watched.windowStart < bodyWindow) return;
    const { req, socket, res } = watched;
    const received = socket.bytesRead - watched.mark;
    // All octets have arrived, or some wait in our buffer: the disk or the database is slow, not
    // the client.
    const isOurs = req.complete || req.readableLength > 0;
    if (isOurs || received >= (bodyRate * bodyWindow) / 1000) {
      watched.mark = socket.bytesRead;
      watched.windowStart = now;
      return;
    }
    this.#watched.delete(watched);
    if (res.headersSent) {
      socket.destroy();
      return;
    }
    // After its answer Node forgets a request that is still arriving: whoever reads it would wait for ever.
    res.once('close', () => req.destroy());
    res.isLast = true;
    const late = new HttpError(408, 'The body arrived too slowly.');
    sendProblem(res, { status: 408, headers: late.headers, body: late.toProblem() });
  }
}
