import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { chunksOf } from '../protocol/response.js';
import type { Slices } from '../runtime/slices.js';
import { type EdgeResponse, JSON_HEADERS, writeHead } from './edge-response.js';

/**
 * Writes an answer of JSON given as pieces of text, as fast as its reader takes it. One chunk at a
 * time becomes octets, never the whole. Resolves when the last piece is handed over or the client
 * is gone.
 */
export async function writeLong(
  res: EdgeResponse,
  pieces: readonly string[],
  slices: Slices,
): Promise<void> {
  let octets = 0;
  for (const piece of pieces) {
    if (slices.isOver()) await slices.next();
    octets += Buffer.byteLength(piece);
  }
  if (res.destroyed) return;
  writeHead(res, 200, JSON_HEADERS, octets);
  const reader = { takenAt: performance.now(), cut: () => void res.destroy() };
  res.room?.writeTo(reader, octets);
  await streamTo(res, async function* () {
    for (const piece of pieces) {
      for (const chunk of chunksOf(piece)) {
        if (slices.isOver()) await slices.next();
        yield chunk;
        // The reader had room for it.
        reader.takenAt = performance.now();
      }
    }
  });
}

/** Writes an answer as it is made or read. A reader that leaves early is no failure. */
export async function streamTo(
  res: EdgeResponse,
  source: NodeJS.ReadableStream | (() => AsyncGenerator<string>),
): Promise<void> {
  try {
    await pipeline(source, res);
  } catch (error) {
    const isEarlyEnd = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    // The log has failures of our side, and the client sees a cut connection.
    if (!res.destroyed || !isEarlyEnd) throw error;
  }
}
