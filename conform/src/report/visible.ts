/**
 * Signs that a reader can't tell apart: invisible ones, ones put on another sign, other forms of a
 * sign, and letters of other scripts, which may look like Latin ones.
 */
const ALIKE = /[^\n\P{C}]|[^ \P{Z}]|\p{M}|(?!\p{Script=Latin})[^\0-\x7f\P{L}]/u;

/** Returns a sign as an escape such as \u{430}. */
const escapeSign = (sign: string): string =>
  `\\u{${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;

/** Returns a text in which signs that look alike are escapes: each differs from every other one. */
export const makeVisible = (text: string): string =>
  Array.from(text, (sign) =>
    ALIKE.test(sign) || sign.normalize('NFKC') !== sign ? escapeSign(sign) : sign,
  ).join('');

/**
 * Returns a text without signs that a terminal obeys: control and format characters are escapes.
 * Letters of all scripts stay, so that the name of a file can be read.
 */
export const makeHarmless = (text: string): string => text.replaceAll(/[^\n\t\P{C}]/gu, escapeSign);
