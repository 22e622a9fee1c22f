import { performance } from 'node:perf_hooks';
import type { Conductor, Slices } from '../runtime/slices.js';
import { edgeHeaders } from './edge-head.js';
import type { EdgeResponse } from './edge-response.js';
import type { StallWatch } from './stall-watch.js';

/** Answers up to this many characters leave in one write; longer ones in chunks of it. */
const CHUNK = 65_536;
/** What a connection takes without its reader doing anything. Octets beyond must be read some time. */
const ABSORBED = 16_384;

/**
 * Writes an answer of JSON given as pieces of text, as fast as its reader takes it. One chunk at a
 * time becomes octets, never the whole. Resolves when the last piece is handed over or the client
 * is gone.
 */
export async function writePieces(
  res: EdgeResponse,
  pieces: readonly string[],
  watch: StallWatch,
  conductor: Conductor,
): Promise<void> {
  if (res.destroyed) return;
  let characters = 0;
  for (const piece of pieces) characters += piece.length;
  if (characters > CHUNK) {
    await writeLong(res, pieces, watch, conductor.startSlices());
    return;
  }
  const text = pieces.join('');
  const octets = Buffer.byteLength(text);
  writeHead(res, octets);
  if (characters > ABSORBED) {
    const watched = watch.writing(res.req, res);
    res.once('close', () => watch.done(watched));
  }
  // ASCII is the same in Latin-1, which is written without looking at each character.
  endWith(res, text, octets === text.length ? 'latin1' : 'utf8');
}

function writeHead(res: EdgeResponse, octets: number): void {
  const headers = edgeHeaders(res);
  headers.push('Content-Type', 'application/json', 'Cache-Control', 'no-store');
  headers.push('Content-Length', String(octets));
  res.writeHead(200, headers);
}

async function writeLong(
  res: EdgeResponse,
  pieces: readonly string[],
  watch: StallWatch,
  slices: Slices,
): Promise<void> {
  let octets = 0;
  for (const piece of pieces) {
    if (slices.isOver()) await slices.next();
    octets += Buffer.byteLength(piece);
  }
  if (res.destroyed) return;
  writeHead(res, octets);
  const watched = watch.writing(res.req, res);
  const reader = { takenAt: performance.now(), cut: () => void res.destroy() };
  res.held?.writeTo(reader, octets);
  try {
    for (const piece of pieces) {
      for (const chunk of chunksOf(piece)) {
        if (slices.isOver()) await slices.next();
        if (res.destroyed) return;
        if (!res.write(chunk)) await drained(res);
        reader.takenAt = performance.now();
      }
    }
    res.end();
  } finally {
    watch.done(watched);
  }
}

/**
 * The head and a text in one write: `end(text)` alone makes two, the second of nothing, which go to the system as a
 * list.
 */
function endWith(res: EdgeResponse, text: string, encoding: 'latin1' | 'utf8'): void {
  const { socket } = res;
  if (socket === null) {
    res.end(text, encoding);
    return;
  }
  socket.cork();
  res.write(text, encoding);
  socket.uncork();
  res.end();
}

/** Cuts a text into chunks, never between the two halves of a surrogate pair. */
export function* chunksOf(text: string, size = CHUNK): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(start, end);
    start = end;
  }
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
