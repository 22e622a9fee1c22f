/**
 * Hangul syllables are taken apart and put together by arithmetic (Unicode Standard, section 3.12).
 */

const SYLLABLE = 0xac00;
const LEADING = 0x1100;
const VOWEL = 0x1161;
const TRAILING = 0x11a7;
const LEADING_COUNT = 19;
const VOWELS = 21;
const TRAILING_COUNT = 28;
const SYLLABLES = LEADING_COUNT * VOWELS * TRAILING_COUNT;

/** Returns the two or three letters of a syllable; null for any other code point. */
export function decomposeHangul(point: number): readonly number[] | null {
  const index = point - SYLLABLE;
  if (index < 0 || index >= SYLLABLES) return null;
  const trailing = index % TRAILING_COUNT;
  const leading = Math.floor(index / (VOWELS * TRAILING_COUNT));
  const vowel = Math.floor((index % (VOWELS * TRAILING_COUNT)) / TRAILING_COUNT);
  const letters = [LEADING + leading, VOWEL + vowel];
  return trailing === 0 ? letters : [...letters, TRAILING + trailing];
}

/**
 * Returns the syllable of a leading consonant and a vowel, or of such a syllable and a trailing
 * consonant; else null.
 */
export function composeHangul(first: number, second: number): number | null {
  const leading = first - LEADING;
  const vowel = second - VOWEL;
  if (leading >= 0 && leading < LEADING_COUNT && vowel >= 0 && vowel < VOWELS) {
    return SYLLABLE + (leading * VOWELS + vowel) * TRAILING_COUNT;
  }
  const syllable = first - SYLLABLE;
  const trailing = second - TRAILING;
  const isOpen = syllable >= 0 && syllable < SYLLABLES && syllable % TRAILING_COUNT === 0;
  return isOpen && trailing > 0 && trailing < TRAILING_COUNT ? first + trailing : null;
}

/** Returns true for a vowel or trailing consonant that a letter before it may take in. */
export function mayJoinHangul(point: number): boolean {
  return (
    (point >= VOWEL && point < VOWEL + VOWELS) ||
    (point > TRAILING && point < TRAILING + TRAILING_COUNT)
  );
}
