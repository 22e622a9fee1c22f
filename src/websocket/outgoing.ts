import { performance } from 'node:perf_hooks';
import type { WebSocket } from 'ws';
import { chunksOf } from '../protocol/response.js';
import type { AnswerRoom, Reader } from '../runtime/budgets.js';
import { Serial } from '../runtime/serial.js';

/** Answers up to so many characters are one frame; longer ones go in fragments as they are read. */
const WHOLE = 262_144;
/** Characters from which on an answer is compressed, where the peer has agreed to it. */
const COMPRESSED = 1024;
/** Octets that may wait for the reader before nothing more is read from it. */
const HIGH_WATER = 1_048_576;

/**
 * Sends the messages of a socket one after the other: fragments of two must not mix (RFC 6455 5.4).
 * It reads nothing more from a peer that falls behind, so only answers of running requests wait.
 */
export class Outgoing {
  readonly #socket: WebSocket;
  readonly #messages = new Serial();
  #waiting = 0;
  readonly #reader: Reader;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#reader = { takenAt: 0, cut: () => socket.terminate() };
  }

  /**
   * Resolves when the message is handed over, or the socket is closed. `room` counts the octets of
   * a large answer, as they are before they are compressed.
   */
  send(pieces: readonly string[], room: AnswerRoom | null = null): Promise<void> {
    let characters = 0;
    for (const piece of pieces) characters += piece.length;
    // Nothing could be taken while nothing was there.
    if (this.#waiting === 0) this.#reader.takenAt = performance.now();
    this.#waiting += characters;
    this.#throttle();
    const isLarge = characters > WHOLE;
    if (room !== null && (isLarge || room.octets > 0)) room.writeTo(this.#reader, octetsOf(pieces));
    const parts = isLarge ? fragmentsOf(pieces) : [pieces.join('')];
    return this.#messages.run(async () => {
      const compress = characters >= COMPRESSED;
      for (const part of parts) await this.#frame(part, { fin: !isLarge, compress });
      if (isLarge) await this.#frame('', { fin: true, compress });
      this.#waiting -= characters;
      this.#throttle();
    });
  }

  /** Nothing more is read from the peer until the result is called. */
  stopReading(): () => void {
    this.#waiting += 2 * HIGH_WATER;
    this.#throttle();
    return () => {
      this.#waiting -= 2 * HIGH_WATER;
      this.#throttle();
    };
  }

  /** Resolves when everything that was sent so far is handed over. */
  idle(): Promise<void> {
    return this.#messages.idle();
  }

  #frame(
    data: string | Buffer,
    { fin, compress }: { readonly fin: boolean; readonly compress: boolean },
  ): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    // The callback comes when the frame has left for the kernel: a slow reader holds it back. Its
    // error means that the socket closes, which has a listener of its own.
    const options = { binary: false, fin, compress };
    return new Promise((resolve) => {
      socket.send(data, options, () => {
        this.#reader.takenAt = performance.now();
        resolve();
      });
    });
  }

  #throttle(): void {
    const socket = this.#socket;
    const behind = this.#waiting > HIGH_WATER;
    // One that closes is read on: the peer's half of the close would not be seen otherwise.
    if (!behind && socket.isPaused) socket.resume();
    else if (behind && !socket.isPaused && socket.readyState === socket.OPEN) socket.pause();
  }
}

function* fragmentsOf(pieces: readonly string[]): Generator<Buffer> {
  for (const piece of pieces) for (const chunk of chunksOf(piece)) yield Buffer.from(chunk);
}

function octetsOf(pieces: readonly string[]): number {
  let octets = 0;
  for (const piece of pieces) octets += Buffer.byteLength(piece);
  return octets;
}
