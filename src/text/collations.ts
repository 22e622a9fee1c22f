import { finish, type Steps } from '../runtime/paused-work.js';
import { decodeTable } from './decode.js';
import { canonicalDecomposition, fromPoints, nfcSteps } from './normalize.js';
import { mapCharacters } from './steps.js';
import { caseFolding } from './tables/case-folding.js';
import { compatibility } from './tables/compatibility.js';
import { titlecase } from './tables/titlecase.js';

/*
 * Keys of the collations that a sort may name. The order of a collation is the order of its keys by
 * code point, which is the order of their UTF-8 octets. It is not the order of `<`, which compares
 * UTF-16 units.
 */

const TITLECASES = decodeTable(titlecase);
const COMPATIBILITY = decodeTable(compatibility);

/**
 * UTF-16 units of a text's key: what follows them decides no order. U+FDFA makes 18 units of one,
 * so the key of a text of 10 MB would have 59 million.
 */
const KEY_LENGTH = 1_000_000;

/**
 * Returns the key of `i;unicode-casemap` (RFC 5051 2): each code point becomes its simple titlecase
 * mapping and that its full decomposition, compatibility ones included. The RFC reorders no marks.
 * A key ends behind the code point with which it reaches 1,000,000 units.
 */
export function casemapKey(text: string): string {
  const isShort = text.length <= KEY_LENGTH;
  return isShort && isAscii(text) ? text.toUpperCase() : finish(casemapSteps(text));
}

/** Returns the same, with pauses. */
export function* casemapSteps(text: string): Steps<string> {
  const beginning = text.length > KEY_LENGTH ? text.slice(0, KEY_LENGTH) : text;
  if (isAscii(beginning)) return beginning.toUpperCase();
  return yield* mapCharacters(text, casemap, KEY_LENGTH);
}

function casemap(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  const title = TITLECASES.get(point)?.[0] ?? point;
  return fromPoints(COMPATIBILITY.get(title) ?? canonicalDecomposition(title) ?? [title]);
}

/**
 * Sorts after every number: RFC 4790 9.1 takes a text that starts with no digit for positive
 * infinity.
 */
const INFINITY_KEY = '~';

/**
 * Returns the key of `i;ascii-numeric` (RFC 4790 9.1): the number that the text starts with, of any
 * size. The digits without leading zeros follow how many they are, and that in turn how many digits
 * it has: more digits, greater number.
 */
export function asciiNumericKey(text: string): string {
  const [digits] = /^\d+/.exec(text) ?? [];
  if (digits === undefined) return INFINITY_KEY;
  const significant = digits.replace(/^0+/, '');
  const count = String(significant.length);
  return `${count.length}${count}.${significant}`;
}

const FOLDINGS: ReadonlyMap<number, string> = new Map(
  Array.from(decodeTable(caseFolding), ([point, folded]) => [point, fromPoints(folded)]),
);

/** Returns true for text of US-ASCII alone. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/**
 * Returns the form in which text is compared where case doesn't count: NFC, full case folding
 * (CaseFolding statuses C and F), NFC. Two texts fold alike on every database and Node version.
 */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : finish(foldSteps(text));
}

/** Returns the same, with pauses. */
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
