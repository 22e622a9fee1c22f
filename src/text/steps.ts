import type { Steps } from '../runtime/paused-work.js';

/** Code points between two pauses: about a millisecond. */
export const STRIDE = 8192;

/**
 * Joins what is made of each character, until there are `maximum` UTF-16 units. Each piece is
 * joined before the next one is made: a text made by adding is a tree, and to flatten a large one
 * takes long.
 */
export function* mapCharacters(
  text: string,
  map: (char: string) => string,
  maximum = Number.POSITIVE_INFINITY,
): Steps<string> {
  const pieces: string[] = [];
  let piece: string[] = [];
  let length = 0;
  let begin = 0;
  for (const char of text) {
    const mapped = map(char);
    length += mapped.length;
    piece.push(mapped);
    if (length >= maximum) break;
    if (length - begin < STRIDE) continue;
    pieces.push(piece.join(''));
    piece = [];
    begin = length;
    yield;
  }
  if (pieces.length === 0) return piece.join('');
  pieces.push(piece.join(''));
  return pieces.join('');
}
