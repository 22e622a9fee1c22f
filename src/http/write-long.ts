import { performance } from 'node:perf_hooks';
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
  res.held?.writeTo(reader, octets);
  for (const piece of pieces) {
    for (const chunk of chunksOf(piece)) {
      if (slices.isOver()) await slices.next();
      if (res.destroyed) return;
      if (!res.write(chunk)) await drained(res);
      reader.takenAt = performance.now();
    }
  }
  res.end();
}

/** Resolves when the response takes more, or is gone. */
function drained(res: EdgeResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}
