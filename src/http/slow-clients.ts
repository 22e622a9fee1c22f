import type { Server, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { EdgeResponse } from './edge-response.js';
import type { Pipeline } from './pipeline.js';
import { HttpError, sendProblem } from './reply.js';
import type { Timings } from './shared.js';

/** The octets that a connection's client has sent and taken. */
interface Progress {
  /** The response whose request is read. */
  res: EdgeResponse | null;
  /** Octets that the socket had read when the window of a body began. */
  read: number;
  windowStart: number;
  /** Octets that had left for the system when it was looked at. */
  written: number;
  /** `performance.now()` when these octets changed last, or nothing waited. */
  takenAt: number;
}

/** How many looks make the time that a client has. */
const LOOKS = 8;

/**
 * Refuses bodies that arrive too slowly, and ends connections whose client takes nothing of its
 * answers for too long. One timer looks at all connections: a timer of its own for each request
 * would cost more than the request.
 */
export class SlowClients {
  readonly #pipeline: Pipeline;
  readonly #timings: Timings;
  readonly #progress = new Map<Socket, Progress>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Server, pipeline: Pipeline, timings: Timings) {
    this.#pipeline = pipeline;
    this.#timings = timings;
    server.on('connection', (socket: Socket) => {
      const now = performance.now();
      const progress = { res: null, read: 0, windowStart: now, written: 0, takenAt: now };
      this.#progress.set(socket, progress);
      socket.on('close', () => this.#progress.delete(socket));
    });
    const interval = Math.min(timings.bodyWindow, timings.stalledReader) / LOOKS;
    this.#timer = setInterval(() => this.#look(performance.now()), Math.max(1, interval));
    this.#timer.unref();
  }

  /** The connection has become something else (a WebSocket), with a rule of its own. */
  forget(socket: Socket): void {
    this.#progress.delete(socket);
  }

  /** Ends connections that have sent nothing yet: Node counts them as busy. */
  dropUnused(): void {
    for (const socket of this.#progress.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#progress.clear();
  }

  #look(now: number): void {
    for (const [socket, progress] of this.#progress) {
      this.#judgeReader(socket, progress, now);
      this.#judgeBody(socket, progress, now);
    }
  }

  #judgeReader(socket: Socket, progress: Progress, now: number): void {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      progress.takenAt = now;
      return;
    }
    // `bytesWritten` counts octets that still wait in memory too.
    const written = socket.bytesWritten - waiting;
    if (written !== progress.written) {
      progress.written = written;
      progress.takenAt = now;
    } else if (now - progress.takenAt >= this.#timings.stalledReader) socket.destroy();
  }

  /** A body must bring `bodyRate` octets a second in each window. */
  #judgeBody(socket: Socket, progress: Progress, now: number): void {
    const { bodyWindow, bodyRate } = this.#timings;
    const res = this.#pipeline.current(socket);
    if (res === null || !res.awaitsBody || res.headersSent) {
      progress.res = null;
      return;
    }
    const isNew = res !== progress.res;
    if (!isNew && now - progress.windowStart < bodyWindow) return;
    const received = socket.bytesRead - progress.read;
    progress.res = res;
    progress.read = socket.bytesRead;
    progress.windowStart = now;
    if (isNew || received >= (bodyRate * bodyWindow) / 1000) return;
    const { req } = res;
    // All octets have arrived, or some wait in our buffer: the disk or the database is slow, not
    // the client.
    if (req.complete || req.readableLength > 0) return;
    // After its answer Node forgets a request that still arrives: a reader would wait for ever.
    res.once('close', () => req.destroy());
    res.isLast = true;
    sendProblem(res, new HttpError(408, 'The body arrived too slowly.'));
  }
}
