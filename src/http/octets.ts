const NOTHING: Buffer = Buffer.alloc(0);
const FIRST_SIZE = 16_384;

/**
 * Octets that arrive in pieces. `add` copies them together: a chunk of one octet kept by itself
 * takes some hundred, and ten megabytes of such chunks would take gigabytes.
 */
export class Octets {
  #data = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      // Most bodies are one piece, which needs no copy.
      this.#data = piece;
    } else {
      if (length > this.#data.length)
        this.#grow(Math.max(length, 2 * this.#data.length, FIRST_SIZE));
      piece.copy(this.#data, this.#length);
    }
    this.#length = length;
  }

  /** Returns all that has arrived; no further piece may be added. */
  take(): Buffer {
    return this.#data.length === this.#length ? this.#data : this.#data.subarray(0, this.#length);
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(size);
    this.#data.copy(larger, 0, 0, this.#length);
    this.#data = larger;
  }
}
