import type { Readable } from 'node:stream';
import { BlobMissingError, type BlobStore } from '../../src/blobs/blob-store.js';
import type { BlobRow } from './source.js';

/**
 * Up to here a blob is read and written as a whole, several at a time: each costs a wait of its
 * own.
 */
export const SMALL = 256 * 1024;
export const AT_ONCE = 16;

/** The octets that the blob store has for a row: null where they aren't what the row says. */
export type Octets = Buffer | Readable | null;

/** Rows with their octets, in order; small blobs are fetched ahead. */
export async function* withOctets(
  store: BlobStore,
  rows: AsyncIterable<BlobRow>,
): AsyncGenerator<readonly [BlobRow, Octets]> {
  const waiting: { readonly row: BlobRow; readonly octets: Promise<Octets> }[] = [];
  for await (const row of rows) {
    // A large one is opened when it is its turn.
    if (row.size > SMALL) {
      for (const { row: small, octets } of waiting.splice(0)) yield [small, await octets];
      yield [row, await open(store, row)];
      continue;
    }
    const octets = whole(store, row);
    // It is awaited later: it must not count as unheard of until then.
    octets.catch(() => undefined);
    waiting.push({ row, octets });
    const first = waiting.length < AT_ONCE ? undefined : waiting.shift();
    if (first !== undefined) yield [first.row, await first.octets];
  }
  for (const { row, octets } of waiting) yield [row, await octets];
}

async function whole(store: BlobStore, { accountId, id, size }: BlobRow): Promise<Buffer | null> {
  const stream = await orNull(store.read(accountId, id));
  const octets = stream === null ? null : await collect(stream);
  return octets?.byteLength === size ? octets : null;
}

async function open(store: BlobStore, { accountId, id, size }: BlobRow): Promise<Readable | null> {
  // Whether it has as many octets as it should: an entry's size stands in front of it.
  const end = await orNull(store.read(accountId, id, { start: size - 1, end: size + 1 }));
  if (end === null || (await collect(end)).byteLength !== 1) return null;
  return orNull(store.read(accountId, id));
}

async function collect(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function orNull(reading: Promise<Readable>): Promise<Readable | null> {
  try {
    const stream = await reading;
    // Its error is told by its iterator.
    stream.on('error', () => undefined);
    return stream;
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}
