import { finish, type Steps } from '../runtime/slices.js';
import { decodeTable } from './decode.js';
import { fromPoints, nfcSteps } from './normalize.js';
import { mapCharacters } from './steps.js';
import { caseFolding } from './tables/case-folding.js';

const FOLDINGS: ReadonlyMap<number, string> = new Map(
  Array.from(decodeTable(caseFolding), ([point, folded]) => [point, fromPoints(folded)]),
);

/** True for text of US-ASCII alone. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/**
 * The form in which text is compared where case doesn't count (D14): NFC, full case folding
 * (CaseFolding statuses C and F), NFC. Two texts fold alike on every database and Node version.
 */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : finish(foldSteps(text));
}

/** The same, with pauses. */
export function* foldSteps(text: string): Steps<string> {
  // Within ASCII folding is lower case and form C changes nothing.
  if (isAscii(text)) return text.toLowerCase();
  const normal = yield* nfcSteps(text);
  const folded = yield* mapCharacters(
    normal,
    (char) => FOLDINGS.get(char.codePointAt(0) ?? 0) ?? char,
  );
  return yield* nfcSteps(folded);
}
