import type { WebSocket } from 'ws';
import type { Deflaters } from './deflaters.js';
import { type InflateBounds, Inflating } from './inflating.js';

const NAME = 'permessage-deflate';

type Callback = (error: Error | null, data?: Buffer) => void;

interface Params {
  readonly server_max_window_bits?: number;
  readonly client_max_window_bits?: number;
}

/**
 * What ws asks of the extension (RFC 7692), in place of its own: that one keeps an inflater and a deflater for each
 * connection, some 300 kB, and counts a message only once it is inflated. Here nothing is kept between two messages
 * (both sides reset their contexts), and octets count as they come out.
 */
export class Deflate {
  /** Asked by ws where it sends: this side is the server, whoever sends says whether a message is compressed. */
  readonly _isServer = true;
  readonly _threshold = 0;
  readonly params: Params;
  readonly #bounds: InflateBounds;
  readonly #deflaters: Deflaters;
  #inflating: Inflating | null = null;
  #compressing: Callback | null = null;
  #endDeflater: (() => void) | null = null;
  #compress: ((data: string | Buffer, done: (octets: Buffer) => void) => void) | null = null;
  #isClosed = false;

  constructor(params: Params, deflaters: Deflaters, bounds: InflateBounds) {
    this.params = params;
    this.#deflaters = deflaters;
    this.#bounds = bounds;
  }

  /** Whether a message of so many characters shall be compressed; if so, it must be sent next. */
  begin(characters: number): boolean {
    // An answer that comes after its reader has gone: nobody would give the deflater back.
    if (this.#isClosed) return false;
    const deflater = this.#deflaters.take(characters, this.params.server_max_window_bits);
    if (deflater === null) return false;
    this.#endDeflater?.();
    this.#compress = deflater.compress;
    this.#endDeflater = deflater.end;
    return true;
  }

  /** Called by ws for each fragment of a compressed message, one after the other. */
  decompress(data: Buffer, fin: boolean, callback: Callback): void {
    this.#inflating ??= new Inflating(this.params.client_max_window_bits, this.#bounds);
    this.#inflating.add(data, fin, (error, octets) => {
      if (fin || error !== null) this.#inflating = null;
      if (error === null) callback(null, octets);
      else callback(error);
    });
  }

  /** The same for what is sent; ws looks at no error where its socket is destroyed, which is when there is one. */
  compress(data: string | Buffer, fin: boolean, callback: Callback): void {
    this.#compressing = callback;
    this.#compress?.(data, (octets) => {
      this.#compressing = null;
      if (fin) this.#end();
      callback(null, fin ? withoutTail(octets) : octets);
    });
  }

  /** The connection is closed. */
  cleanup(): void {
    this.#isClosed = true;
    this.#inflating?.end();
    this.#inflating = null;
    this.#end();
    this.#compressing?.(new Error('The socket closed while an answer was compressed.'));
    this.#compressing = null;
  }

  #end(): void {
    this.#endDeflater?.();
    this.#endDeflater = null;
    this.#compress = null;
  }
}

/**
 * Puts the extension in the place of ws's own, where one was negotiated; null where none was. Of ws this uses one
 * member that it doesn't promise, `_extensions`, which its receiver and sender share; its version is pinned, and
 * where the member has another form nothing goes on uncounted: it throws.
 */
export function deflateOf(
  socket: WebSocket,
  deflaters: Deflaters,
  bounds: InflateBounds,
): Deflate | null {
  if (socket.extensions === '') return null;
  const { _extensions: extensions } = socket as unknown as {
    readonly _extensions?: Record<string, { readonly params: Params } | undefined>;
  };
  const own = extensions?.[NAME];
  if (extensions === undefined || own === undefined) {
    throw new Error(`ws keeps its extensions elsewhere than expected: ${socket.extensions}.`);
  }
  const deflate = new Deflate(own.params, deflaters, bounds);
  extensions[NAME] = deflate;
  return deflate;
}

/** RFC 7692 7.2.1: the last four octets are left out; a last fragment without text is one octet of 0 (7.2.3.6). */
function withoutTail(octets: Buffer): Buffer {
  return octets.length > 4 ? octets.subarray(0, -4) : Buffer.alloc(1);
}
