/**
 * Work on a text that may be long: it pauses after every few thousand code points, so that whoever runs it
 * can let others have the thread.
 */
export type Steps<T> = Generator<void, T>;

/** Code points between two pauses: about a millisecond. */
export const STRIDE = 8192;

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Joins what is made of each character; pieces are joined by themselves, or the whole would be made of pairs. */
export function* mapCharacters(text: string, map: (char: string) => string): Steps<string> {
  const pieces: string[] = [];
  let piece = '';
  let left = STRIDE;
  for (const char of text) {
    piece += map(char);
    left -= 1;
    if (left > 0) continue;
    pieces.push(piece);
    piece = '';
    left = STRIDE;
    yield;
  }
  return pieces.join('') + piece;
}
