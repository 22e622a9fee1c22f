import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Header } from 'tar';

/**
 * The archive is a plain tar (POSIX ustar; sizes from 8 GiB on in GNU's base-256), so that ordinary
 * tools list and unpack it. It is written and read as a stream. The package `tar` makes and reads
 * its headers; all else stands here, since a backup is refused when a single octet of it has
 * changed, padding and end included.
 */

export const BLOCK = 512;
const BUFFER = 1024 * 1024;
const ZEROS = Buffer.alloc(BLOCK);

export interface Entry {
  readonly name: string;
  readonly size: number;
  /** The caller reads it to its end before it asks for the next entry. */
  readonly body: AsyncIterable<Uint8Array>;
}

export class TarError extends Error {
  override readonly name = 'TarError';
}

/** Writes entries one after the other into a new file. */
export class TarWriter {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  readonly #time: number;
  #waiting: Uint8Array[] = [];
  #waitingOctets = 0;
  /** Octets so far. */
  octets = 0;

  constructor(handle: FileHandle, time: number) {
    this.#handle = handle;
    this.#time = time;
  }

  /** `source` has exactly `size` octets; resolves to their SHA-256 in hex. */
  async add(
    name: string,
    size: number,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    also?: Hash,
  ): Promise<string> {
    const hash = createHash('sha256');
    await this.#write(header(name, size, this.#time));
    let left = size;
    for await (const chunk of source) {
      left -= chunk.byteLength;
      if (left < 0) break;
      hash.update(chunk);
      also?.update(chunk);
      await this.#write(chunk);
    }
    if (left !== 0) throw new TarError(`${name} has not the ${size} octets that it should have`);
    await this.#write(ZEROS.subarray(0, padding(size)));
    return hash.digest('hex');
  }

  /** The SHA-256 in hex of all octets so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Two blocks of zeros, and everything on disk. */
  async end(): Promise<void> {
    await this.#write(ZEROS);
    await this.#write(ZEROS);
    await this.#flush();
    await this.#handle.sync();
  }

  async #write(octets: Uint8Array): Promise<void> {
    if (octets.byteLength === 0) return;
    this.#hash.update(octets);
    this.octets += octets.byteLength;
    this.#waiting.push(octets);
    this.#waitingOctets += octets.byteLength;
    if (this.#waitingOctets >= BUFFER) await this.#flush();
  }

  async #flush(): Promise<void> {
    const all = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingOctets = 0;
    for (let done = 0; done < all.byteLength; ) {
      done += (await this.#handle.write(all, done)).bytesWritten;
    }
  }
}

/** Reads the entries of a file in order, its very end included. */
export class TarReader {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #buffer: Buffer = Buffer.alloc(0);
  #end = false;
  /** Octets read so far. */
  octets = 0;
  /** The octets of the file before the header of the last entry, and their SHA-256. */
  before: { readonly octets: number; readonly sha256: string } = { octets: 0, sha256: '' };

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async *entries(hashed: (name: string) => boolean = () => false): AsyncGenerator<Entry> {
    for (;;) {
      const octets = this.octets;
      const hash = this.#hash.copy();
      const block = await this.#exactly(BLOCK);
      if (block.equals(ZEROS)) break;
      const { name, size } = readHeader(block);
      if (hashed(name)) this.before = { octets, sha256: hash.digest('hex') };
      const end = this.octets + size;
      yield { name, size, body: this.#body(end) };
      if (this.octets !== end) throw new Error('An entry is read to its end before the next.');
      const rest = await this.#exactly(padding(size));
      if (rest.some((octet) => octet !== 0)) throw new TarError('its padding is damaged');
    }
    if (!(await this.#exactly(BLOCK)).equals(ZEROS)) throw new TarError('its end is damaged');
    if ((await this.#some(1)).byteLength > 0) throw new TarError('something follows its end');
  }

  async *#body(end: number): AsyncGenerator<Uint8Array> {
    while (this.octets < end) {
      const octets = await this.#some(end - this.octets);
      if (octets.byteLength === 0) throw new TarError('it ends too early');
      yield octets;
    }
  }

  async #exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let have = 0; have < count; ) {
      const part = await this.#some(count - have);
      if (part.byteLength === 0) throw new TarError('it ends too early');
      parts.push(part);
      have += part.byteLength;
    }
    return Buffer.concat(parts);
  }

  /**
   * At most so many octets; none at the end of the file. The octets that it gives stay as they are.
   */
  async #some(count: number): Promise<Buffer> {
    if (this.#buffer.byteLength === 0 && !this.#end) {
      const fresh = Buffer.allocUnsafe(BUFFER);
      const { bytesRead } = await this.#handle.read(fresh, 0, BUFFER, null);
      this.#buffer = fresh.subarray(0, bytesRead);
      this.#end = bytesRead === 0;
    }
    const part = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(part.byteLength);
    this.#hash.update(part);
    this.octets += part.byteLength;
    return part;
  }
}

/** A small entry as a whole. Throws TarError where it has more than `limit` octets. */
export async function readAll({ name, size, body }: Entry, limit: number): Promise<Buffer> {
  if (size > limit) throw new TarError(`its entry ${JSON.stringify(name)} is too large`);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function header(name: string, size: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const mtime = new Date(time);
  new Header({ path: name, type: 'File', mode: 0o600, uid: 0, gid: 0, size, mtime }).encode(block);
  // A name that has no place in the header was cut off.
  if (!/^[\x21-\x7e]+$/.test(name) || readHeader(block).name !== name) {
    throw new TarError(`no entry can be called ${JSON.stringify(name)}`);
  }
  return block;
}

function readHeader(block: Buffer): { readonly name: string; readonly size: number } {
  if (block.toString('latin1', 257, 263) !== 'ustar\0') throw new TarError('it is no tar archive');
  const { path, size, typeKey, cksumValid } = decode(block);
  if (!cksumValid || typeKey !== '0' || path === undefined || size === undefined) {
    throw new TarError('a header is damaged');
  }
  return { name: path, size };
}

function decode(block: Buffer): Header {
  try {
    return new Header(block);
  } catch {
    throw new TarError('a header is damaged');
  }
}
