/** Digits in front of the point: a key has two digits for how many there are. */
const MOST = 99;

/** An exact number, by its digits. `whole` has no leading zeros, `fraction` no trailing ones. */
export interface ExactNumber {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/**
 * Returns a text whose place by octets is the number's place among numbers: a sign, how many digits
 * stand in front of the point, and all digits. A negative number has the complement of each digit
 * and a character behind all digits, so that the longer of two fractions is the lesser number.
 * Throws RangeError for more than 99 digits in front of the point.
 */
export function numberKey({ isNegative, whole, fraction }: ExactNumber): string {
  if (whole.length > MOST) throw new RangeError(`${whole.length} digits stand before the point.`);
  const digits = `${String(whole.length).padStart(2, '0')}${whole}${fraction}`;
  return isNegative ? `0${complement(digits)}~` : `1${digits}`;
}

function complement(digits: string): string {
  return digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
}
