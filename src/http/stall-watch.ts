import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { EdgeResponse } from './edge-response.js';
import { HttpError, sendProblem } from './reply.js';
import type { Timings } from './services.js';

/** One transfer that must make progress. */
export interface Watched {
  readonly direction: 'in' | 'out';
  readonly req: IncomingMessage;
  readonly res: EdgeResponse;
  readonly socket: Socket;
  /** Octets that the socket had moved when the window began. */
  mark: number;
  windowStart: number;
}

/**
 * Time-outs of bodies that arrive too slowly and of answers that nobody takes. One timer looks at all of them: a
 * timer of its own for each request would cost more than the request.
 */
export class StallWatch {
  readonly #timings: Timings;
  readonly #watched = new Set<Watched>();
  readonly #timer: NodeJS.Timeout;

  constructor(timings: Timings) {
    this.#timings = timings;
    const shortest = Math.min(timings.bodyWindow, timings.stalledReader);
    this.#timer = setInterval(() => this.#sweep(performance.now()), Math.min(1000, shortest / 2));
    this.#timer.unref();
  }

  /** A body that is being read: it must bring `bodyRate` octets a second in each window. */
  reading(req: IncomingMessage, res: EdgeResponse): Watched {
    return this.#watch('in', req, res, req.socket.bytesRead);
  }

  /** An answer that is being written: its reader must take something. */
  writing(req: IncomingMessage, res: EdgeResponse): Watched {
    return this.#watch('out', req, res, taken(req.socket));
  }

  done(watched: Watched): void {
    this.#watched.delete(watched);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  #watch(
    direction: Watched['direction'],
    req: IncomingMessage,
    res: EdgeResponse,
    mark: number,
  ): Watched {
    const { socket } = req;
    const watched = { direction, req, res, socket, mark, windowStart: performance.now() };
    this.#watched.add(watched);
    return watched;
  }

  #sweep(now: number): void {
    for (const watched of this.#watched) {
      if (watched.direction === 'in') this.#lookAtBody(watched, now);
      else this.#lookAtReader(watched, now);
    }
  }

  #lookAtBody(watched: Watched, now: number): void {
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

  #lookAtReader(watched: Watched, now: number): void {
    const written = taken(watched.socket);
    if (written !== watched.mark) {
      watched.mark = written;
      watched.windowStart = now;
    } else if (now - watched.windowStart >= this.#timings.stalledReader) {
      this.#watched.delete(watched);
      watched.socket.destroy();
    }
  }
}

/** Octets that have left for the kernel: `bytesWritten` counts those that still wait in memory too. */
function taken(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
