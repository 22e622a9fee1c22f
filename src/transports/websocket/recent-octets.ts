/** A DEFLATE block refers no further back than so many octets (RFC 1951 2). */
export const WINDOW = 32_768;

/** The end of what a message has inflated to so far: what the next block may refer to. */
export class RecentOctets {
  #parts: Buffer[] = [];
  #octets = 0;

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#octets += part.length;
    for (;;) {
      const [first] = this.#parts;
      if (first === undefined || this.#octets - first.length < WINDOW) return;
      this.#parts.shift();
      this.#octets -= first.length;
    }
  }

  /** As one part from now on: where it is wanted often, little is gathered each time. */
  joined(): Buffer {
    const end = Buffer.concat(this.#parts).subarray(-WINDOW);
    this.#parts = [end];
    this.#octets = end.length;
    return end;
  }
}
