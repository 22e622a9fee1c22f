import { finish } from '../runtime/paused-work.js';
import { decodeTable } from './decode.js';
import { fromPoints, nfcSteps } from './normalize.js';
import { mapCharacters } from './steps.js';
import { lowercase } from './tables/lowercase.js';

/**
 * A change that makes texts alike which mean the same. `lowercase`: simple lower-case mappings.
 * `nfc`: normalisation form C. `trim`: no white space at either end.
 */
export type Normalization = 'lowercase' | 'nfc' | 'trim';

/** UTF-16 units of a text that is normalised: a longer one breaks every bound (BOUNDS). */
const LONGEST = 196_608;

const LOWER: ReadonlyMap<string, string> = new Map(
  Array.from(decodeTable(lowercase), ([point, lower]) => [
    String.fromCodePoint(point),
    fromPoints(lower),
  ]),
);

/** In this order, so that a text which was normalised stays as it is. */
const CHANGES: Readonly<Record<Normalization, (text: string) => string>> = Object.freeze({
  lowercase: toLower,
  nfc: (text) => finish(nfcSteps(text)),
  trim: (text) => text.trim(),
});

/**
 * Returns the text after the changes, whatever their order in the list. It is the same on every
 * Node. A text that is too long to be stored stays as it is.
 */
export function normalForm(text: string, changes: readonly Normalization[]): string {
  if (text.length > LONGEST) return text;
  let normal = text;
  for (const [name, change] of Object.entries(CHANGES)) {
    if (changes.includes(name as Normalization)) normal = change(normal);
  }
  return normal;
}

function toLower(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return finish(mapCharacters(text, (char) => LOWER.get(char) ?? char));
}
