import { InexactNumber } from './json.js';

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The most decimal digits that the integer of a finite double has. */
const MAX_INTEGER_DIGITS = 309;

/** 5 ** 23 has more than the 53 bits of a double, and is odd: no multiple of 10 ** 23 is one. */
const MAX_EXACT_POWER = 22;

/**
 * InexactNumber for a number token whose nearest double is infinite, or an integer that the text
 * does not say (D4). Null where the native parser's value is right, and where the text is no
 * number.
 */
export function inexactNumber(token: string): InexactNumber | null {
  const double = Number(token);
  if (Number.isFinite(double) && !Number.isInteger(double)) return null;
  if (Number.isSafeInteger(double) && String(double) === token) return null;
  const match = NUMBER.exec(token);
  if (match === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = trimZeros(whole + fraction);
  if (digits.text === '') return null;
  const power = Number(exponent) - fraction.length + digits.trailing;
  const isInteger =
    power >= 0 && power <= MAX_EXACT_POWER && digits.text.length + power <= MAX_INTEGER_DIGITS;
  const isExact =
    isInteger && BigInt(digits.text) * 10n ** BigInt(power) === BigInt(Math.abs(double));
  return isExact ? null : new InexactNumber(token);
}

/**
 * Digits without zeros at either end, and how many stood at the end. Linear for any run of zeros.
 */
function trimZeros(digits: string): { readonly text: string; readonly trailing: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charAt(start) === '0') start += 1;
  while (end > start && digits.charAt(end - 1) === '0') end -= 1;
  return { text: digits.slice(start, end), trailing: digits.length - end };
}
