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
  collate: (collation: string) =>
    Object.hasOwn(COLLATIONS, collation) ? (COLLATIONS[collation] ?? null) : null,
});
