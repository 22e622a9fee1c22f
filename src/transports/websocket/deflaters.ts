import { constants, createDeflateRaw } from 'node:zlib';

/** Shorter answers aren't worth it: they are one packet as they are. */
const LEAST = 1024;
/** Deflaters that work at once, the whole process over; each takes some 100 kB. */
const MOST = 64;
/** 8 kB of window and 64 kB in all: on JSON a fiftieth behind zlib's default, which takes 256 kB and twice the time. */
const WINDOW_BITS = 13;
const MEM_LEVEL = 6;
const LEVEL = 3;
/** A peer that wants a smaller window than zlib has for raw streams gets its answers as they are. */
const SMALLEST_WINDOW_BITS = 9;

/** Compresses one message's parts, each to the end of an octet (RFC 7692 7.2.1). */
export interface Deflater {
  readonly compress: (data: string | Buffer, done: (octets: Buffer) => void) => void;
  /** May be called again. */
  readonly end: () => void;
}

/** Deflaters of messages that are sent. A message that gets none is sent as it is, which is always legal. */
export class Deflaters {
  readonly #most: number;
  #inUse = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Null where a message of so many characters is better sent as it is. */
  take(characters: number, maxWindowBits = WINDOW_BITS): Deflater | null {
    if (characters < LEAST || this.#inUse >= this.#most) return null;
    if (maxWindowBits < SMALLEST_WINDOW_BITS) return null;
    const stream = createDeflateRaw({
      windowBits: Math.min(maxWindowBits, WINDOW_BITS),
      memLevel: MEM_LEVEL,
      level: LEVEL,
    });
    this.#inUse += 1;
    let chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    let isOver = false;
    return {
      compress(data, done) {
        stream.write(data);
        stream.flush(constants.Z_SYNC_FLUSH, () => {
          if (isOver) return;
          const octets = chunks;
          chunks = [];
          done(Buffer.concat(octets));
        });
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#inUse -= 1;
        stream.close();
      },
    };
  }
}
