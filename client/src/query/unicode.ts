import { asciiNumericKey, casemapKey, fold } from '../../../src/text/collations.js';
import { searchWords } from '../../../src/text/search-words.js';
import type { TextRules } from './text-rules.js';

/** Keys of the collations (RFC 4790, RFC 5051). */
const COLLATIONS: Readonly<Record<string, (text: string) => string>> = Object.freeze({
  'i;unicode-casemap': casemapKey,
  'i;ascii-casemap': (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  'i;ascii-numeric': asciiNumericKey,
  'i;octet': (text: string) => text,
});

/** The rules of the server, with the tables of its version of Unicode. */
export const UNICODE_RULES: TextRules = Object.freeze({
  fold,
  words: searchWords,
  collate(collation: string) {
    const keyOf = Object.hasOwn(COLLATIONS, collation) ? COLLATIONS[collation] : undefined;
    return keyOf === undefined ? null : (text: string) => orderUnits(keyOf(text));
  },
});

/** Returns a text whose order by `<`, which goes by units of UTF-16, is the one by code points. */
function orderUnits(text: string): string {
  return /[\ud800-\uffff]/.test(text) ? text.replace(/[\ud800-\uffff]/g, orderUnit) : text;
}

/** Surrogates stand for code points above all others of 16 bits. */
function orderUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}
